//go:build !unix

package main

import "errors"

// peakMemory is an error here.
func peakMemory() (int64, error) {
	return 0, errors.New("this system does not say what memory a process has held")
}
