//go:build !linux && !darwin

package filestate

import "io/fs"

// Of always returns false, because this system is not supported.
func Of(fs.FileInfo) (State, bool) { return State{}, false }
