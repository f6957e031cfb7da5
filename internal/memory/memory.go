// Package memory says whether this process may allocate as much as it is about to. A Go process
// ends when the system refuses an allocation.
package memory

import "fmt"

// small is what is allocated without a question.
const small = 64 << 20

// Allows returns an error if n more bytes exceed the machine's memory, what the process's control
// group leaves, or the address space that its limits leave. It allows everything on a system that
// does not say.
func Allows(n uint64) error {
	if n <= small {
		return nil
	}
	for _, limit := range []func() (uint64, string){machine, group} {
		if left, what := limit(); n > left {
			return fmt.Errorf("%s are needed, and %s %s", megabytes(n), what, megabytes(left))
		}
	}
	if !addressable(n) {
		return fmt.Errorf("%s are needed, and the limits of this process (ulimit -v) leave less",
			megabytes(n))
	}
	return nil
}

// Free is the bytes that can be had now without swapping, by the machine and by the process's
// control group, or math.MaxUint64 where the system does not say.
func Free() uint64 {
	left, _ := group()
	return min(left, available())
}

func megabytes(n uint64) string { return fmt.Sprintf("%d MB", (n+999_999)/1_000_000) }

// Resident is how many bytes of the machine's memory this process holds; ok is false where the
// system does not say.
func Resident() (bytes uint64, ok bool) { return resident() }
