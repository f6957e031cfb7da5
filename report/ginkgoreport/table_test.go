package ginkgoreport

import (
	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// entry is a report entry from another process.
func entry(name string, value any) types.ReportEntry {
	GinkgoHelper()
	text, err := types.WrapEntryValue(value).MarshalJSON()
	Expect(err).NotTo(HaveOccurred())
	var sent types.ReportEntryValue
	Expect(sent.UnmarshalJSON(text)).To(Succeed())
	return types.ReportEntry{Name: name, Value: sent}
}

var _ = Describe("The table of models and engines", func() {
	const a, b = "a 1.0", "b 2.0 (GPU)"
	ran := func(state types.SpecState, engine, model string, moved float64) SpecReport {
		GinkgoHelper()
		var outcome compare.Pair
		m := matchers.MatchOutputsWithin(9, 0, matchers.Max).Of(tensor.Of(1.)).
			ReportTo(func(o compare.Pair) { outcome = o })
		Expect(tensor.Of(1 + moved)).To(m)
		outcome.Actual = "a run of " + engine + ", model " + model
		run := tally.Run{Engine: engine, Model: model}
		return SpecReport{LeafNodeType: types.NodeTypeIt, State: state,
			ReportEntries: types.ReportEntries{entry(runsEntry, ranIn{[]tally.Run{run, run}}),
				entry(ComparisonEntry, compare.Document{Pairs: []compare.Pair{outcome}})}}
	}

	It("counts specs by model and engine, with the greatest error", func() {
		r := Report{SuiteDescription: "models", SpecReports: types.SpecReports{
			ran(types.SpecStatePassed, a, "m.onnx", 0.5),
			ran(types.SpecStatePassed, a, "m.onnx", 0.25),
			ran(types.SpecStateFailed, b, "m.onnx", 2),
			ran(types.SpecStatePassed, a, "other.onnx", 0),
		}}
		s, err := summarise(r)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.NoEngine).To(BeFalse())
		Expect(s.String()).To(Equal(
			"model       a 1.0                  b 2.0 (GPU)\n" +
				"m.onnx      2 passed, max abs 0.5  1 of 1 failed, max abs 2\n" +
				"other.onnx  1 passed, max abs 0    –"))
		Expect(s.markdown(r)).To(ContainSubstring(
			"| model      | a 1.0                 | b 2.0 (GPU)              |\n" +
				"| ---        | ---                   | ---                      |\n"))
	})

	It("warns if no engine ran", func() {
		skip := SpecReport{LeafNodeType: types.NodeTypeIt, State: types.SpecStateSkipped,
			Failure: types.Failure{Message: "no GPU"}}
		r := Report{SuiteDescription: "models", SpecReports: types.SpecReports{skip}}
		s, err := summarise(r)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.String()).To(Equal("skipped 1 spec: no GPU\n" + noEngine))
		Expect(s.markdown(r)).To(ContainSubstring("**" + noEngine + "**"))
		Expect(passed(r)).To(BeZero())
	})
})
