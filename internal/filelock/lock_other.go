//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package filelock

import (
	"errors"
	"os"
)

func lock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
