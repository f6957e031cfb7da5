//go:build !linux && !darwin

package spill

import (
	"errors"
	"os"
)

// unnamed returns an error: on this system, an open file cannot be removed.
func unnamed() (*os.File, error) {
	return nil, errors.New("open files cannot be removed on this system")
}

func free(*os.File) uint64 { return 0 }
