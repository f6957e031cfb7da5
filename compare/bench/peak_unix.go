//go:build unix

package main

import (
	"fmt"
	"runtime"
	"syscall"
)

// peakMemory is the most memory that the process has held, in bytes.
func peakMemory() (int64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("the process does not know its memory: %w", err)
	}
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return int64(usage.Maxrss) * unit, nil //nolint:unconvert // 32 bits on some systems
}
