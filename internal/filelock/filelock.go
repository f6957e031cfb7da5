// Package filelock lets the processes of one machine take turns. If the process that holds a lock
// ends, the lock is released.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// With calls work while this process holds the lock at path. It first waits until no other process
// holds the lock. The lock file is created if it is missing, and is never removed.
func With(path string, work func() error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }() // closing unlocks
	if err := lock(f); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return work()
}
