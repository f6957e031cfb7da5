//go:build !linux && !darwin

package filestate

import "io/fs"

// Of is not supported on this system.
func Of(fs.FileInfo) (State, bool) { return State{}, false }
