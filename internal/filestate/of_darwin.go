package filestate

import (
	"io/fs"
	"syscall"
)

// Of is the state that stat told; false where the system does not tell.
func Of(info fs.FileInfo) (State, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return State{}, false
	}
	return State{Device: uint64(uint32(s.Dev)), Inode: s.Ino, Size: s.Size,
		Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano()}, true
}
