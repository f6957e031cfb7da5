// Package filelock lets the processes of one machine take turns. A lock ends with the process that
// holds it, however that ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// With runs do while this process alone holds the lock at path, a file that is made where it is
// not there and stays.
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
