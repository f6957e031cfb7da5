package spill

import "syscall"

// These are the magic numbers of file systems that are in memory.
const (
	tmpfs = 0x01021994
	ramfs = 0x858458f6
)

// inMemory reports whether a folder's files are in memory.
func inMemory(folder string) bool {
	var info syscall.Statfs_t
	if err := syscall.Statfs(folder, &info); err != nil {
		return false
	}
	return uint32(info.Type) == tmpfs || uint32(info.Type) == ramfs //nolint:gosec // 32 bits are used
}
