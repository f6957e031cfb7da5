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
	return State{Device: uint64(uint32(s.Dev)), Inode: s.Ino, Size: s.Size,
		Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano()}, true
}
