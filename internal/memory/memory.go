// Package memory checks whether this process may allocate a large amount of memory, because a Go
// process dies if the system refuses an allocation.
package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// small is the size in bytes of the largest allocation that [Allows] does not check.
const small = 64 << 20

// Allows returns an error if n is more than the machine's memory, the memory left to the process's
// cgroup, or the address space left to the process. A limit that the system does not report
// is not checked.
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

func megabytes(n uint64) string { return fmt.Sprintf("%d MB", (n+999_999)/1_000_000) }

// Statistic reads the number after name from a file with one name and number per line, such as
// /proc/self/status.
func Statistic(file, name string) (n uint64, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			n, err := strconv.ParseUint(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
