//go:build !linux && !darwin

package filestate

import "io/fs"

// Of knows no state here.
func Of(fs.FileInfo) (State, bool) { return State{}, false }
