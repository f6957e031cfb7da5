//go:build !linux && !darwin

package engines

import "io/fs"

// identify knows no identity here: every sum is computed.
func identify(fs.FileInfo) (identity, bool) { return identity{}, false }
