package apart

import (
	"fmt"
	"os"
	"strings"
)

// self returns a path to this program that works even if the program's file is replaced or removed.
func self() (string, error) { return "/proc/self/exe", nil }

// sacrifice makes sure that, if memory runs out, the system kills this process and not the test
// suite.
func sacrifice() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// peak returns the most memory that a process has had resident, in bytes, or 0 once the process has
// ended.
func peak(pid int) (bytes int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, line, ok := strings.Cut(string(text), "VmHWM:"); ok {
		_, _ = fmt.Sscanf(line, "%d kB", &bytes)
	}
	return bytes << 10
}
