package memory_test

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/memory"
)

func TestMoreThanThereIsIsRefused(t *testing.T) {
	if err := memory.Allows(1 << 20); err != nil {
		t.Error("a megabyte: ", err)
	}
	if err := memory.Allows(math.MaxUint64 / 2); err == nil && runtime.GOOS == "linux" {
		t.Error("half of all addresses are allowed")
	}
}

// TestLimitsOfTheProcessCount runs this test again in a process with 4 GB of address space.
func TestLimitsOfTheProcessCount(t *testing.T) {
	const variable = "MODELPARITY_TEST_LIMITED"
	if os.Getenv(variable) != "" {
		if err := memory.Allows(3 << 30); err == nil || !strings.Contains(err.Error(), "ulimit") {
			t.Errorf("3 GiB of what is left of 4 GB: %v", err)
		}
		if err := memory.Allows(100 << 20); err != nil {
			t.Error("100 MiB: ", err)
		}
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("this system's limits are not known here")
	}
	limited := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" -test.run LimitsOfTheProcess`,
		os.Args[0])
	limited.Env = append(os.Environ(), variable+"=1")
	if out, err := limited.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
