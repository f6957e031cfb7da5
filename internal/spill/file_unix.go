//go:build linux || darwin

package spill

import (
	"os"
	"syscall"
)

// unnamed creates a temporary file in the first of several folders that is on a disk: on many
// systems, /tmp is in memory, and a file there would save no memory. The file is removed
// immediately, so nothing remains, however the process ends.
func unnamed() (*os.File, error) {
	folder := os.TempDir()
	for _, other := range []string{folder, "/var/tmp"} {
		if info, err := os.Stat(other); err == nil && info.IsDir() && !inMemory(other) {
			folder = other
			break
		}
	}
	f, err := os.CreateTemp(folder, "modelparity-run-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// free returns the number of bytes that an ordinary user may still write to f's disk.
func free(f *os.File) uint64 {
	var info syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &info); err != nil {
		return 0
	}
	return info.Bavail * uint64(info.Bsize) //nolint:unconvert // of another type on another system
}
