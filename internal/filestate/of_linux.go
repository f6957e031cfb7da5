package filestate

import (
	"io/fs"
	"syscall"
)

// Of returns the file's state according to info, or false if info does not contain it.
func Of(info fs.FileInfo) (State, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return State{}, false
	}
	return State{Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, //nolint:unconvert // arm, mips
		Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano()}, true
}
