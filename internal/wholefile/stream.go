//go:build !windows

package wholefile

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// openStream opens a stream for writing. It duplicates a descriptor of this process instead of
// opening it again, because the descriptor may refer to a regular file to which other processes
// write too, at a shared position.
func openStream(t Target) (*os.File, error) {
	folder := filepath.Dir(t.Path)
	if own, err := filepath.EvalSymlinks("/proc/self/fd"); err == nil && own == folder {
		if number, err := strconv.Atoi(filepath.Base(t.Path)); err == nil {
			duplicate, err := syscall.Dup(number)
			return os.NewFile(uintptr(duplicate), t.Path), os.NewSyscallError("dup", err)
		}
	}
	return os.OpenFile(t.Path, os.O_WRONLY|os.O_APPEND, 0)
}
