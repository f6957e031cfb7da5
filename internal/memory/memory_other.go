//go:build !linux

package memory

import "math"

func machine() (uint64, string) { return math.MaxUint64, "" }
func group() (uint64, string)   { return math.MaxUint64, "" }
func addressable(n uint64) bool { return n <= math.MaxInt }

// Resident returns false, because package memory does not support this system.
func Resident() (bytes uint64, ok bool) { return 0, false }
