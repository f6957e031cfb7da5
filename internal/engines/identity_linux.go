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
	return identity{Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, //nolint:unconvert // arm, mips
		Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano()}, true
}
