// Package memory checks whether this process may allocate a large amount of memory, because a Go
// process dies if the system refuses an allocation.
package memory

import "fmt"

// small is allocated without a check.
const small = 64 << 20

// Allows returns an error if n more bytes exceed the machine's memory, the rest of the process's
// control group, or the address space that its limits leave. If the system does not report a limit,
// it is ignored.
func Allows(n uint64) error {
	if n <= small {
		return nil
	}
	for _, limit := range []func() (uint64, string){machine, group} {
		if left, what := limit(); n > left {
			return fmt.Errorf("%s are needed, but %s %s", megabytes(n), what, megabytes(left))
		}
	}
	if !addressable(n) {
		return fmt.Errorf("%s are needed, but the limits of this process (ulimit -v) leave less",
			megabytes(n))
	}
	return nil
}

// Free returns the bytes that can be allocated without swapping, limited by the machine and by the
// process's control group, or math.MaxUint64 if the system does not report it.
func Free() uint64 {
	left, _ := group()
	return min(left, available())
}

func megabytes(n uint64) string { return fmt.Sprintf("%d MB", (n+999_999)/1_000_000) }

// Resident returns how many bytes of the machine's memory this process uses; ok is false if the
// system does not report it.
func Resident() (bytes uint64, ok bool) { return resident() }
