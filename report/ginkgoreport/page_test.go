package ginkgoreport

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/observed"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Page", func() {
	It("shows the suite's report with its attached outcomes", func() {
		set := func(v float64) *tensor.Set {
			s, err := tensor.NewSet(tensor.Entry{Name: "logits", Tensor: tensor.Of(v)})
			Expect(err).NotTo(HaveOccurred())
			return s
		}
		Expect(set(1)).NotTo(matchers.MatchOutputs().Of(set(3)).ReportTo(Attach))
		AddReportEntry(reportfile.Runs, []tally.Run{{Engine: "ort", Model: "m.onnx"}})
		running := CurrentSpecReport()
		running.State = types.SpecStateFailed
		running.Failure.Message = "Expected <this>"
		path := filepath.Join(GinkgoT().TempDir(), "made", "report.html")
		Expect(writePage(path, types.Report{SuiteDescription: "Digits", SuitePath: "/nowhere",
			SpecReports: types.SpecReports{running}})).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(SatisfyAll(ContainSubstring("Expected &lt;this&gt;"),
			ContainSubstring("logits"), ContainSubstring("Digits"), ContainSubstring("this suite"),
			ContainSubstring("1 failed"), Not(ContainSubstring(reportfile.Runs))))
	})

	It("attaches every comparison once, whether or not the spec does", func() {
		observed.Comparison = attachInSpec
		DeferCleanup(func() { observed.Comparison = nil })
		m := matchers.MatchOutputs().Of(tensor.Of(1.0))
		Expect(tensor.Of(1.0)).To(m)
		Expect(tensor.Of(2.0)).NotTo(m.ReportTo(Attach))
		var lines []string
		for _, entry := range CurrentSpecReport().ReportEntries {
			lines = append(lines, entry.Value.String())
		}
		Expect(lines).To(HaveExactElements("pass: a tensor against a tensor",
			"fail: a tensor against a tensor: 1 of 1 outputs differ"))
	})

	It("names the path if writing fails", func() {
		file := filepath.Join(GinkgoT().TempDir(), "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		Expect(writePage(filepath.Join(file, "report.html"), types.Report{})).
			To(MatchError(ContainSubstring(file)))
	})
})
