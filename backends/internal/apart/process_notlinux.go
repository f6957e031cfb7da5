//go:build !linux

package apart

import (
	"errors"
	"os"
)

// self returns the path of this program.
func self() (string, error) { return os.Executable() }

func sacrifice() {}

// measurable returns an error if this system has no way to limit the memory of a process.
func measurable() error {
	return errors.New("isolated.Memory works only on Linux; drop the option")
}

func resident(int) int64 { return 0 }
