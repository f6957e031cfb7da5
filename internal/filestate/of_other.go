//go:build !linux && !darwin

package filestate

import "io/fs"

// Of always returns false, because package filestate does not support this system.
func Of(fs.FileInfo) (State, bool) { return State{}, false }
