//go:build linux || darwin

package enginelock

import (
	"os"
	"path/filepath"
	"syscall"
)

// exclusive waits until no other process edits a lock file. It locks a file in the cache, because a
// file next to modelparity.lock would be another file for users to ignore in git.
func exclusive() (release func(), err error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		folder = os.TempDir()
	}
	folder = filepath.Join(folder, "modelparity")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(folder, "setup.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close() //nolint:errcheck // nothing was written
		return nil, err
	}
	return func() { file.Close() }, nil //nolint:errcheck // closing releases the lock
}
