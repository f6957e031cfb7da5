package golden_test

import (
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/pythontest"
	"github.com/modelparity/modelparity/tensor"
)

// polygraphyPython is a Python that has the real Polygraphy.
func polygraphyPython() string {
	return pythontest.With(GinkgoT(), "polygraphy.tools", "numpy")
}

// polygraphyAgrees runs the real `polygraphy run` on two saved runs, and reports its verdict.
func polygraphyAgrees(python, actual, expected string) bool {
	GinkgoHelper()
	out, err := exec.Command(python, "-c",
		"import sys; from polygraphy.tools._main import main; sys.exit(main())",
		"run", "--load-outputs", actual, expected, "--atol", "1e-3", "--rtol", "1e-3").CombinedOutput()
	AddReportEntry("polygraphy", string(out), ReportEntryVisibilityFailureOrVerbose)
	if err == nil {
		Expect(string(out)).To(ContainSubstring("PASSED"))
		return true
	}
	Expect(string(out)).To(ContainSubstring("FAILED | simple | Mismatched outputs"),
		"Polygraphy could not compare")
	return false
}

// weAgree is our own verdict on the same files.
func weAgree(actual, expected string) bool {
	GinkgoHelper()
	a, err := golden.Read(actual)
	Expect(err).NotTo(HaveOccurred())
	e, err := golden.Read(expected)
	Expect(err).NotTo(HaveOccurred())
	report, err := compare.Runs(a.Outputs(), e.Outputs(), compare.Options{
		Checks: []compare.Check{compare.Within(1e-3, 1e-3, compare.Elementwise)}})
	Expect(err).NotTo(HaveOccurred())
	return report.Verdict == compare.Pass
}

var _ = Describe("The real Polygraphy", func() {
	DescribeTable("reads golden files, and agrees on the verdict",
		func(actual, expected *backends.Run, want bool) {
			python := polygraphyPython()
			folder := GinkgoT().TempDir()
			paths := []string{filepath.Join(folder, "actual.json"), filepath.Join(folder, "expected.json")}
			for i, run := range []*backends.Run{actual, expected} {
				Expect(golden.Write(paths[i], run, golden.Options{})).To(Succeed())
			}
			Expect(weAgree(paths[0], paths[1])).To(Equal(want))
			Expect(polygraphyAgrees(python, paths[0], paths[1])).To(Equal(want))
		},
		Entry("the same run", two(1, 2), two(1, 2), true),
		Entry("within tolerance", two(1.0005, 2), two(1, 2), true),
		Entry("out of tolerance in the second iteration", two(1, 2.01), two(1, 2), false),
	)

	It("reads every type that it knows, in every shape", func() {
		python := polygraphyPython()
		known := []any{}
		for name, t := range every().All() {
			if t.ElementType().Bits() >= 8 && !strings.Contains(name, "float8") && name != "bfloat16" {
				known = append(known, name, t)
			}
		}
		Expect(len(known)).To(BeNumerically(">", 24))
		path := temporary("run.json")
		Expect(golden.Write(path, runOf(set(known...)), golden.Options{})).To(Succeed())
		Expect(polygraphyAgrees(python, path, path)).To(BeTrue())
	})

	It("loads a file that has types it does not know", func() {
		python := polygraphyPython()
		path := temporary("run.json")
		Expect(golden.WriteRuns(path, []golden.Named{{Name: "all", Run: runOf(every())}})).To(Succeed())
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
	return &backends.Run{Iterations: []backends.Iteration{
		{Outputs: must("logits", tensor.Of(first, 0))}, {Outputs: must("logits", tensor.Of(second, 0))},
	}}
}
