package apart

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// self returns a path to this program that works even if the program's file is replaced or removed.
func self() (string, error) { return "/proc/self/exe", nil }

// sacrifice makes sure that, if memory runs out, the system kills this process and not the test
// suite.
func sacrifice() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// resident returns the resident memory of a process in bytes, or 0 once the process has ended.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	if fields := bytes.Fields(text); len(fields) > 1 {
		if pages, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	return 0
}
