package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock tries to lock f and reports whether it did.
func lock(f *os.File) (bool, error) {
	const everything = 1<<32 - 1
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, everything, everything,
		new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
