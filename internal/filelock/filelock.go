// Package filelock lets the processes of one machine take turns. If the process that holds a lock
// ends, the lock is released.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// poll is the time between attempts to take a lock that another process holds. The lock is polled
// so that waiting can be cancelled.
const poll = 5 * time.Millisecond

// With calls work while this process holds the lock at path. It first waits until no other process
// holds the lock, or until ctx ends. The lock file is created if it is missing, and is never
// removed.
func With(ctx context.Context, path string, work func() error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }() // closing unlocks
	for {
		held, err := lock(f)
		switch {
		case err != nil:
			return fmt.Errorf("lock %s: %w", path, err)
		case held:
			return work()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the lock %s: %w", path, context.Cause(ctx))
		case <-time.After(poll):
		}
	}
}
