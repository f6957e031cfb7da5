package ginkgoreport

import (
	"encoding/json"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Attach", func() {
	It("adds an entry that decodes to the outcome, even with NaN", func() {
		m := matchers.MatchOutputsWithin(0.5, 0, matchers.Max).Of(tensor.Of(1, math.Inf(1))).
			ReportTo(Attach)
		Expect(tensor.Of(math.NaN(), 2)).NotTo(m)

		entries := CurrentSpecReport().ReportEntries
		Expect(entries).To(HaveLen(1))
		Expect(entries[0].Name).To(Equal(ComparisonEntry))
		Expect(entries[0].Location.FileName).To(HaveSuffix("entry_test.go"))
		Expect(entries[0].Value.String()).To(
			Equal("fail: a tensor against a tensor: 1 of 1 outputs differ"))

		text, err := json.Marshal(entries[0].Value.GetRawValue())
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed())
		var document compare.Document
		Expect(json.Unmarshal(text, &document)).To(Succeed())
		back := document.Pairs[0]
		Expect(back.Report.Verdict).To(Equal(compare.Fail))
		Expect(back.Report.Outputs[0].Statistics().Actual.NaN).To(Equal(1))
		Expect(back.Report.Outputs[0].Statistics().Expected.PosInf).To(Equal(1))
	})
})

var _ = Describe("The entry of a golden file", func() {
	It("describes the change, and decodes to it", func() {
		change := golden.Change{Path: "a.json", Kind: golden.Rewritten, By: "digits match",
			Verdict: compare.Fail, Moved: []golden.Move{{Output: "y", MaxAbs: math.NaN(),
				MaxRel: math.Inf(1)}}}
		entry := entryOf(change)
		Expect(entry.String()).To(Equal(change.String()))
		text, err := json.Marshal(entry)
		Expect(err).NotTo(HaveOccurred())
		var back struct {
			Golden string
			Change golden.Change
		}
		Expect(json.Unmarshal(text, &back)).To(Succeed())
		Expect(back.Golden).To(Equal("a.json"))
		Expect(back.Change.Text()).To(Equal(change.Text()))
		Expect(back.Change.Moved[0].MaxRel).To(Equal(math.Inf(1)))
	})
})
