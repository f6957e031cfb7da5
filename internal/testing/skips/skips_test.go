package skips

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
)

func TestOnlySkipsWithTheMessageCount(t *testing.T) {
	skipped := func(message string) types.SpecReport {
		return types.SpecReport{State: types.SpecStateSkipped, Failure: types.Failure{Message: message}}
	}
	passed := skipped("make engines runs this one")
	passed.State = types.SpecStatePassed
	specs := types.SpecReports{passed, skipped(""), skipped("the library is missing"),
		skipped(inherited), skipped("make engines runs this one"),
		skipped("make engines runs this one: it needs jax"), skipped(inherited), passed,
		skipped(inherited)}
	n := count(specs, func(message string) bool { return strings.HasPrefix(message, "make engines") })
	if n != 3 {
		t.Errorf("%d skipped specs, expected 3", n)
	}
}

type recorder struct{ skipped string }

func (*recorder) Helper()           {}
func (r *recorder) Skip(why ...any) { r.skipped = fmt.Sprint(why...) }

func TestLongSpecsAreSkippedUnderShortAlone(t *testing.T) {
	given := fmt.Sprint(testing.Short())
	defer flag.Set("test.short", given)
	for short, begins := range map[string]string{"true": "long: ", "false": ""} {
		if err := flag.Set("test.short", short); err != nil {
			t.Fatal(err)
		}
		var r recorder
		if Long(&r); !strings.HasPrefix(r.skipped, begins) || begins == "" && r.skipped != "" {
			t.Errorf("-short=%s: skipped because %q", short, r.skipped)
		}
	}
}

// TestTheGateCountsSkips runs .ci/skipped on the log of a newcomer and on the log of repeated
// packages.
func TestTheGateCountsSkips(t *testing.T) {
	script, err := filepath.Abs("../../../.ci/skipped")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const ok = "ok  \tgithub.com/modelparity/modelparity/%s\t1.0s\n"
	const ran = "SUCCESS! -- %d Passed | 0 Failed | 0 Pending | %d Skipped\n--- PASS: TestA (1s)\n"
	logs := map[string]string{
		"newcomer": fmt.Sprintf(ran+ok, 5, 0, "whole") +
			fmt.Sprintf("\nmodelparity: 1 skipped specs need a GPU\n"+ran+ok, 4, 1, "gpu") +
			fmt.Sprintf(ran+ok, 1, 8, "engine") +
			fmt.Sprintf("    a_test.go:1: long: go test\n--- SKIP: TestB (0s)\n"+ok, "long") +
			fmt.Sprintf("\nmodelparity: specs skip some checks without tract\n--- PASS: TestC (0s)\n"+ok,
				"less"),
		"again": fmt.Sprintf(ran+ok, 9, 0, "engine") + fmt.Sprintf("--- PASS: TestB (0s)\n"+ok, "long") +
			fmt.Sprintf("--- PASS: TestC (0s)\n"+ok, "less"),
		"without long": fmt.Sprintf(ran+ok, 9, 0, "engine") + fmt.Sprintf("--- PASS: TestC (0s)\n"+ok,
			"less"),
		"without less": fmt.Sprintf(ran+ok, 9, 0, "engine") + fmt.Sprintf("--- PASS: TestB (0s)\n"+ok,
			"long"),
		"nothing": "",
	}
	for name, log := range logs {
		if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		says []string
		bad  bool
	}{
		{"-again newcomer", []string{"modelparity/engine\n", "modelparity/long\n",
			"modelparity/less\n", "10 skipped: 9 in 3 packages"}, false},
		{"newcomer", []string{"8 skipped in ", "1 skipped in ", "and others checked less"}, true},
		{"newcomer again", []string{"23 specs and tests passed, 1 skipped that need a GPU"}, false},
		{"newcomer without_long", []string{"1 skipped in github.com/modelparity/modelparity/long"}, true},
		{"newcomer without_less", []string{"modelparity/less, and others checked less"}, true},
		{"nothing", []string{"nothing ran"}, true},
	} {
		var args []string
		for _, arg := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(arg, "_", " "))
		}
		out, err := exec.Command(script, args...).CombinedOutput()
		if (err != nil) != c.bad {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
		for _, text := range c.says {
			if !strings.Contains(string(out), text) {
				t.Errorf("%s: %q is missing in\n%s", c.args, text, out)
			}
		}
	}
}
