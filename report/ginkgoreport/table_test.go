package ginkgoreport

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/loaders"
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
			ReportEntries: types.ReportEntries{entry(reportfile.Runs, []tally.Run{run, run}),
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

var _ = Describe("GitHub's annotations", func() {
	It("name file, line and spec of each failure, ten at most", func() {
		failed := SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: "a: b, 100%",
			State: types.SpecStateFailed, Failure: types.Failure{Message: "Expected\n1 %",
				Location: types.CodeLocation{FileName: "/ci/repo/pkg/a_test.go", LineNumber: 7}}}
		panicked := failed
		panicked.Failure = types.Failure{Message: "m"}
		panicked.LeafNodeLocation = types.CodeLocation{FileName: "/elsewhere/b.go", LineNumber: 3}
		r := Report{SuiteDescription: "models",
			SpecReports: types.SpecReports{failed, {State: types.SpecStatePassed}, panicked}}
		var out bytes.Buffer
		annotate(&out, r, summary{NoEngine: true}, "/ci/repo")
		Expect(out.String()).To(Equal(
			"::error file=pkg/a_test.go,line=7,title=a%3A b%2C 100%25::Expected%0A1 %25\n" +
				"::error file=/elsewhere/b.go,line=3,title=a%3A b%2C 100%25::m\n" +
				"::warning title=models::" + message(noEngine) + "\n"))
	})
})

var _ = Describe("LabelsOf", func() {
	It("name engine, type and model without filter syntax", func() {
		model := loaders.ONNXBytes("nets/res(net)18.onnx", nil)
		Expect(LabelsOf(fake.Engine(fake.Named("Rt:1 FP16 x")), model)).To(
			HaveExactElements("engine:fake", "type:fp16", "model:res_net_18"))
		Expect(LabelsOf(nil, nil)).To(BeEmpty())
	})
})
