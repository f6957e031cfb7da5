package engines

import (
	"io/fs"
	"syscall"
)

// identify reads a file's identity out of what stat said.
func identify(info fs.FileInfo) (identity, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}, false
	}
	return identity{Device: uint64(uint32(s.Dev)), Inode: s.Ino, Size: s.Size,
		Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano()}, true
}
