package loaders

import (
	"io/fs"
	"syscall"
	"time"
)

// identityOf is what the system keeps of a file.
func identityOf(info fs.FileInfo) (identity, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}, false
	}
	return identity{device: uint64(s.Dev), inode: s.Ino, size: s.Size, //nolint:unconvert // 32 bits
		modified: time.Unix(s.Mtim.Unix()), changed: time.Unix(s.Ctim.Unix())}, true
}
