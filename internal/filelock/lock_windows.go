package filelock

import (
	"os"

	"golang.org/x/sys/windows"
)

func lock(f *os.File) error {
	const everything = 1<<32 - 1
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0,
		everything, everything, new(windows.Overlapped))
}
