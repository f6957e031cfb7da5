package polygraphy_test

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
)

var _ = Describe("Accuracy results", func() {
	DescribeTable("of Polygraphy's are read, with its verdicts", func(name string, passes bool) {
		all, err := polygraphy.ReadAccuracy(strings.NewReader(file(name)))
		Expect(err).NotTo(HaveOccurred())
		var classes []string
		for _, result := range all {
			Expect(result.Aggregation).To(Equal("per_sample"))
			Expect(result.Pairs).To(HaveLen(1))
			Expect(result.Pairs[0].Runners[1]).To(HavePrefix("onnxrt-runner-N1-"))
			Expect(result.Pairs[0].Iterations).To(HaveLen(2))
			for _, output := range result.Pairs[0].Iterations[1] {
				Expect(output.Pass()).To(Equal(passes), output.Class)
			}
			classes = append(classes, result.Pairs[0].Iterations[0][0].Class)
		}
		Expect(classes).To(Equal([]string{"OutputCompareResult", "L2Result", "CosineSimilarityResult",
			"PsnrResult", "SnrResult", ""}))

		var out bytes.Buffer
		w := polygraphy.NewWriter(&out)
		w.Accuracy(all)
		Expect(w.Close()).To(Succeed())
		// But for white space, and 1.0 that is 1, it is what Polygraphy wrote.
		plain := strings.NewReplacer(" ", "", "\n", "", ".0,", ",").Replace
		Expect(plain(out.String())).To(Equal(plain(file(name))))
	},
		Entry("equal runs", "accuracy_fp32_gemm.json", true),
		Entry("NaN, which equals nothing", "accuracy_nan_inf.json", false),
	)

	DescribeTable("pass by Polygraphy's rules", func(o polygraphy.AccuracyOutput, want bool) {
		Expect(o.Pass()).To(Equal(want))
	},
		Entry("one tolerance is enough", simple(1, 1e-9), true),
		Entry("neither is kept", simple(1, 1), false),
		Entry("a norm may be its threshold", metric("L2Result", 2, 2), true),
		Entry("a norm beyond it", metric("L2Result", 2.1, 2), false),
		Entry("a ratio beyond it", metric("PsnrResult", 31, 30), true),
		Entry("a ratio below it", metric("SnrResult", 19, 20), false),
	)

	It("without end are refused in one line", func() {
		endless := `{"lst": [{"lst": [[["a","b"],[{` + strings.Repeat(`"y":true,`, 1_000_000)
		_, err := polygraphy.ReadAccuracy(strings.NewReader(endless))
		Expect(err).To(MatchError(MatchRegexp(`^result 0: pair 0: iteration 0: output "y": byte \d+: ` +
			`too many objects for a file of this size$`)))
	})

	It("without the numbers have no verdict", func() {
		_, err := polygraphy.AccuracyOutput{Name: "y", Class: "L2Result"}.Pass()
		Expect(err).To(MatchError(`output "y": L2Result without a metric or a threshold`))
		_, err = polygraphy.AccuracyOutput{Name: "y", Class: "OutputCompareResult", Stat: "max"}.Pass()
		Expect(err).To(MatchError(`output "y": the max error or a tolerance is missing`))
	})

	DescribeTable("that are bad are an error with the byte", func(document, want string) {
		_, err := polygraphy.ReadAccuracy(strings.NewReader(document))
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("outputs", `{"lst": [], "polygraphy_class": "RunResults"}`,
			`"RunResults", expected AccuracyResults`),
		Entry("nothing", `{}`, `byte 2: no "lst" key`),
		Entry("one runner", `{"lst": [{"lst": [[["a"], []]]}]}`,
			"result 0: pair 0: byte 24: a comparison must be [[runner, runner], [iteration, …]], but "+
				"elements are missing"),
		Entry("a metric that is text", `{"lst": [{"lst": [[["a", "b"], [{"y": {"l2_norm": "1"}}]]]}]}`,
			`iteration 0: output "y": byte 50: expected a number, got a string`),
	)
})

func simple(abs, rel float64) polygraphy.AccuracyOutput {
	return polygraphy.AccuracyOutput{Name: "y", Class: "OutputCompareResult", Stat: "max",
		Metrics: []polygraphy.Metric{
			{Name: "max_absdiff", Value: abs}, {Name: "max_reldiff", Value: rel}},
		Thresholds: []polygraphy.Metric{{Name: "atol", Value: 1e-5}, {Name: "rtol", Value: 1e-5}}}
}

func metric(class string, value, threshold float64) polygraphy.AccuracyOutput {
	return polygraphy.AccuracyOutput{Name: "y", Class: class,
		Metrics:    []polygraphy.Metric{{Name: "metric", Value: value}},
		Thresholds: []polygraphy.Metric{{Name: "threshold", Value: threshold}}}
}

// FuzzAccuracy holds that no file panics.
func FuzzAccuracy(f *testing.F) {
	seeds(f, "accuracy_fp32_gemm.json", "accuracy_nan_inf.json")
	f.Fuzz(func(t *testing.T, document []byte) {
		all, err := polygraphy.ReadAccuracy(bytes.NewReader(document))
		if err == nil {
			w := polygraphy.NewWriter(&bytes.Buffer{})
			w.Accuracy(all)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
