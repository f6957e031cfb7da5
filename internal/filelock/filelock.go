// Package filelock lets the processes of one machine take turns. A lock ends with the process that
// holds it.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// With runs do while only this process holds the lock at path, a file that is created if missing
// and never removed.
func With(path string, do func() error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }() // closing unlocks
	if err := lock(f); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return do()
}
