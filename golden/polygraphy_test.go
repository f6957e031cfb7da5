package golden_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// polygraphyPython is a Python that has the real Polygraphy.
func polygraphyPython() string {
	return pythontest.With(GinkgoT(), "polygraphy.tools", "numpy")
}

// polygraphyVerdicts runs the real `polygraphy run` on pairs of saved runs, each actual before
// expected, all in one process: most of its time is spent on starting.
func polygraphyVerdicts(python string, pairs ...string) []bool {
	GinkgoHelper()
	out, err := exec.Command(python, append([]string{"-c", `
import json, sys
from polygraphy.tools import main
verdicts = []
for actual, expected in zip(sys.argv[1::2], sys.argv[2::2]):
    sys.argv = ["polygraphy", "run", "--load-outputs", actual, expected,
                "--atol", "1e-3", "--rtol", "1e-3"]
    verdicts.append(main())
print()
print(json.dumps(verdicts))
`}, pairs...)...).CombinedOutput()
	AddReportEntry("polygraphy", string(out), ReportEntryVisibilityFailureOrVerbose)
	Expect(err).NotTo(HaveOccurred(), string(out))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var statuses []int
	Expect(json.Unmarshal([]byte(lines[len(lines)-1]), &statuses)).To(Succeed(), string(out))
	Expect(statuses).To(HaveLen(len(pairs) / 2))
	failed := strings.Count(string(out), "FAILED | simple | Mismatched outputs")
	var verdicts []bool
	for _, status := range statuses {
		verdicts = append(verdicts, status == 0)
		failed -= status
	}
	Expect(failed).To(BeZero(), "Polygraphy failed for another reason than the outputs")
	return verdicts
}

// weAgree is our own verdict on the same files.
func weAgree(actual, expected string) bool {
	GinkgoHelper()
	a, err := golden.Read(context.Background(), actual)
	Expect(err).NotTo(HaveOccurred())
	e, err := golden.Read(context.Background(), expected)
	Expect(err).NotTo(HaveOccurred())
	report, err := compare.Runs(a.Outputs(), e.Outputs(), compare.Options{
		Checks: []compare.Check{compare.Within(1e-3, 1e-3, compare.Elementwise)}})
	Expect(err).NotTo(HaveOccurred())
	return report.Verdict == compare.Pass
}

var _ = Describe("The real Polygraphy", func() {
	It("reads golden files of every type that it knows, and agrees on the verdict", func() {
		python := polygraphyPython()
		known := []any{}
		for name, t := range every().All() {
			if t.ElementType().Bits() >= 8 && !strings.Contains(name, "float8") && name != "bfloat16" {
				known = append(known, name, t)
			}
		}
		Expect(len(known)).To(BeNumerically(">", 24))
		var paths []string
		var want []bool
		for _, row := range []struct {
			reason           string
			actual, expected *backends.Run
			agree            bool
		}{
			{"the same run", two(1, 2), two(1, 2), true},
			{"within tolerance", two(1.0005, 2), two(1, 2), true},
			{"out of tolerance in the second iteration", two(1, 2.01), two(1, 2), false},
			{"every type and shape", runOf(set(known...)), runOf(set(known...)), true},
			{"a tree of sums", treed(0.0005), treed(0), true},
			{"a tree of sums, the last element out of tolerance", treed(0.01), treed(0), false},
		} {
			pair := []string{temporary("actual.json"), temporary("expected.json")}
			for i, run := range []*backends.Run{row.actual, row.expected} {
				Expect(golden.Write(pair[i], run, golden.Options{})).To(Succeed())
				Expect(strings.Contains(contents(pair[i]), `"tree":{`)).To(
					Equal(strings.HasPrefix(row.reason, "a tree")), row.reason)
			}
			Expect(weAgree(pair[0], pair[1])).To(Equal(row.agree), row.reason)
			paths, want = append(paths, pair...), append(want, row.agree)
		}
		Expect(polygraphyVerdicts(python, paths...)).To(Equal(want))
	})

	It("loads inputs that we saved, from a file and from a folder", func() {
		python := polygraphyPython()
		saved := fixtures.Of(set("é", tensor.Of[float32](1, 2.5)), set("é", tensor.Scalar[int64](3)))
		for _, name := range []string{"inputs.json", "inputs"} {
			path := temporary(name)
			Expect(fixtures.Save(path, saved)).To(Succeed())
			out, err := exec.Command(python, "-c", `
import sys
from polygraphy.json.serde import iterate_from_files, iterate_json_list
print([(ascii(name), str(x.dtype), x.tolist())
       for feed in iterate_from_files(sys.argv[1], iterate_json_list) for name, x in feed.items()])
`, path).CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(out))
			Expect(string(out)).To(HaveSuffix(
				`[("'\\xe9'", 'float32', [1.0, 2.5]), ("'\\xe9'", 'int64', 3)]` + "\n"))
		}
	})

	It("loads a file that has types it does not know", func() {
		python := polygraphyPython()
		path := temporary("run.json")
		Expect(runs.WriteRuns(path, []runs.Named{{Name: "all", Run: runOf(every())}})).To(Succeed())
		out, err := exec.Command(python, "-c", `
import sys
from polygraphy.comparator import RunResults
results = RunResults.load(sys.argv[1])
(name, iterations), = results.items()
print(name, iterations[0].runtime, iterations[0]["bfloat16"].dtype, iterations[0]["int8"].tolist())
`, path).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(string(out)).To(HaveSuffix("\nall 0.0015 |V2 [0, 1, 0]\n"))
	})
})

// two is a run of two iterations, one value each.
func two(first, second float32) *backends.Run {
	return backends.NewRun(backends.Provenance{},
		backends.Iteration{Outputs: must("logits", tensor.Of(first, 0))},
		backends.Iteration{Outputs: must("logits", tensor.Of(second, 0))})
}

// treed is a run of an output that has a tree of sums in the head and its data in the file; it ends
// with 1 and a little more.
func treed(more float32) *backends.Run {
	values := make([]float32, 80_000)
	for i := range values {
		values[i] = float32(i) / 8
	}
	values[len(values)-1] = 1 + more
	return backends.NewRun(backends.Provenance{},
		backends.Iteration{Outputs: must("logits", tensor.Of(values...))})
}
