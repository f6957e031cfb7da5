package apart

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/internal/memory"
)

// self returns a path to this program that works even if the program's file is replaced or removed.
func self() (string, error) { return "/proc/self/exe", nil }

// sacrifice makes sure that, if memory runs out, the system kills this process and not the test
// suite.
func sacrifice() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// peak returns the most memory that a process has had resident, in bytes, or 0 once the process has
// ended.
func peak(pid int) (bytes int64) {
	kib, _ := memory.Statistic(fmt.Sprintf("/proc/%d/status", pid), "VmHWM:")
	return int64(kib) << 10
}
