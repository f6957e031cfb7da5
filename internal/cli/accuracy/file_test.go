package accuracy_test

import (
	"encoding/json"
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A report as accuracy results", func() {
	report := func(checks ...compare.Check) compare.Report {
		GinkgoHelper()
		same := tensor.Of[float32](1, 2)
		actual := set("a", tensor.Of[float32](1, 2.5), "b", same, "c", tensor.Of[int8](1))
		expected := set("a", tensor.Of[float32](1, 2), "b", same, "c", tensor.Of[int8](1, 2))
		r, err := compare.Sets(actual, expected, compare.Options{Checks: checks})
		Expect(err).NotTo(HaveOccurred())
		return r
	}
	pairsOf := func(reports ...compare.Report) (pairs []compare.Pair) {
		for i, r := range reports {
			pairs = append(pairs, compare.Pair{Actual: "actual", Expected: "expected" +
				strings.Repeat("'", i), Report: r})
		}
		return pairs
	}
	verdicts := func(path string) [][]bool {
		GinkgoHelper()
		all, err := accuracy.Read(path)
		Expect(err).NotTo(HaveOccurred())
		var table [][]bool
		for _, result := range all {
			var row []bool
			for _, output := range result.Pairs[0].Iterations[0] {
				pass, err := output.Pass()
				Expect(err).NotTo(HaveOccurred())
				row = append(row, pass)
			}
			table = append(table, row)
		}
		return table
	}
	checks := []compare.Check{compare.Within(0.1, 0.1, compare.Elementwise),
		compare.Within(0.3, 0.1, compare.Mean), compare.L2(0.1), compare.CosineSimilarity(0.5),
		compare.PSNR(30), compare.ULP(3)}
	want := [][]bool{{false, true, false}, {true, true, false}, {false, true, false},
		{true, true, false}, {false, true, false}, {false, true, false}}

	It("keeps every verdict", func() {
		path := temporary("accuracy.json")
		Expect(accuracy.Write(path, pairsOf(report(checks...)))).To(Succeed())
		Expect(verdicts(path)).To(Equal(want))
		all, err := accuracy.Read(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(all[0].Pairs[0].Runners).To(Equal([2]string{"actual", "expected"}))
		Expect(all[1].Pairs[0].Iterations[0][0].Metrics[0].Value).To(Equal(0.5), "the greatest error")
	})

	It("is what the real Polygraphy judges alike", func() {
		python := pythontest.With(GinkgoT(), "polygraphy.tools", "numpy")
		path := temporary("accuracy.json")
		Expect(accuracy.Write(path, pairsOf(report(checks...)))).To(Succeed())
		out, err := exec.Command(python, "-c", `
import json, sys
from polygraphy.comparator import AccuracyResults
print(json.dumps([
    [bool(output) for (iteration,) in result.values() for output in iteration.values()]
    for result in AccuracyResults.load(sys.argv[1])]))
`, path).Output()
		Expect(err).NotTo(HaveOccurred(), string(out))
		lines := strings.Split(strings.TrimSpace(string(out)), "\n") // Polygraphy logs before
		var theirs [][]bool
		Expect(json.Unmarshal([]byte(lines[len(lines)-1]), &theirs)).To(Succeed())
		Expect(theirs).To(Equal(want))
	})

	It("of nothing is not written", func() {
		Expect(accuracy.Write(temporary("x.json"), pairsOf(compare.Report{}))).To(
			MatchError(ContainSubstring("has no outputs")))
		Expect(accuracy.Write(temporary("x.json"), nil)).To(
			MatchError(ContainSubstring("nothing was compared")))
	})
})
