package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/internal/testing/hostile"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/tensor"
)

// reportOf makes one of the pinned reports.
func reportOf(i int) compare.Report {
	GinkgoHelper()
	report, err := compare.Runs(reports[i].actual, reports[i].expected, reports[i].options)
	Expect(err).NotTo(HaveOccurred())
	return report
}

// writes is an io.Writer that keeps only the length of the longest write.
type writes struct{ longest int }

func (w *writes) Write(text []byte) (int, error) {
	w.longest = max(w.longest, len(text))
	return len(text), nil
}

func marshal(v any) []byte {
	GinkgoHelper()
	text, err := json.Marshal(v)
	Expect(err).NotTo(HaveOccurred())
	return text
}

var _ = Describe("a document", func() {
	for i, c := range reports {
		It("follows docs/report.schema.json and reads back: "+c.name, func() {
			report := reportOf(i)
			d := compare.Document{Pairs: []compare.Pair{{Actual: "a", Expected: "b", Report: report}}}
			text := marshal(d)
			Expect(reportschema.Validate(text)).To(Succeed(), string(text))
			for _, d := range []compare.Document{d, {}, {Err: errors.New("no run"), Pairs: d.Pairs},
				{Pairs: append(d.Pairs, d.Pairs...)}} {
				var streamed bytes.Buffer
				n, err := d.WriteTo(&streamed)
				Expect(err).NotTo(HaveOccurred())
				Expect(n).To(BeEquivalentTo(streamed.Len()))
				whole, err := json.MarshalIndent(d, "", "  ")
				Expect(err).NotTo(HaveOccurred())
				Expect(streamed.String()).To(Equal(string(whole) + "\n"))
			}
			Expect(reportschema.ValidatePart(marshal(report), "report")).To(Succeed())
			var read compare.Document
			Expect(json.Unmarshal(text, &read)).To(Succeed())
			Expect(read.Verdict()).To(Equal(d.Verdict()))
			Expect(read.Pairs[0].Report.Text()).To(Equal(report.Text()))
			Expect(marshal(read)).To(MatchJSON(text))
		})
	}

	It("is written one output at a time, so that many outputs need little memory", func() {
		outputs := slices.Repeat(reportOf(1).Outputs, 300)
		var written writes
		n, err := compare.Document{Pairs: []compare.Pair{{Report: compare.Report{Outputs: outputs}}}}.
			WriteTo(&written)
		Expect(err).NotTo(HaveOccurred())
		Expect(written.longest).To(BeNumerically("<", n/100))
	})

	It("names the pairs that fail, and numbers every output's", func() {
		pass, fail := reportOf(0), reportOf(1)
		d := compare.Document{Notes: []string{"the second runner ran on the CPU"},
			Pairs: []compare.Pair{{Actual: "a", Expected: "b", Report: pass},
				{Actual: "b", Expected: "c", Golden: "kept", Report: fail}}}
		Expect(d.Verdict()).To(Equal("fail"))
		Expect(d.Reason()).To(Equal("b against c: 2 of 3 outputs differ"))
		text := marshal(d)
		Expect(reportschema.Validate(text)).To(Succeed())
		var read struct {
			Version int
			Kind    string
			Outputs []struct{ Pair int }
		}
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Version).To(Equal(schema.Version))
		Expect(read.Kind).To(Equal("comparison"))
		var pairs []int
		for _, output := range read.Outputs {
			pairs = append(pairs, output.Pair)
		}
		Expect(pairs).To(Equal([]int{0, 0, 1, 1, 1}))
	})

	It("can say nothing but an error", func() {
		d := compare.Document{Err: errors.New("no such file"),
			Pairs: []compare.Pair{{Report: reportOf(0)}}}
		text := marshal(d)
		Expect(reportschema.Validate(text)).To(Succeed())
		Expect(text).To(MatchJSON(`{"version": 1, "kind": "comparison", "verdict": "error",
			"reason": "no such file", "pairs": [], "outputs": []}`))
		var read compare.Document
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Err).To(MatchError("no such file"))
		Expect(reportschema.Validate(marshal(schema.Unusable("divergence", d.Err)))).To(Succeed())
	})

	It("takes a rule of the user's own", func() {
		out := one(tensor.Of(1.0, 2), tensor.Of(2.0, 2), countOf(0))
		d := compare.Document{Pairs: []compare.Pair{{Report: compare.Report{Verdict: compare.Fail,
			Reason: "1 of 1 outputs differ", Outputs: []compare.Output{out}}}}}
		Expect(reportschema.Validate(marshal(d))).To(Succeed())
	})

	DescribeTable("fits a schema that rejects",
		func(old, wrong string) {
			text := string(marshal(compare.Document{Pairs: []compare.Pair{{Report: reportOf(1)}}}))
			Expect(text).To(ContainSubstring(old))
			Expect(reportschema.Validate([]byte(strings.Replace(text, old, wrong, 1)))).NotTo(Succeed())
		},
		Entry("another version", `"version":1`, `"version":2`),
		Entry("another kind", `"kind":"comparison"`, `"kind":"accuracy"`),
		Entry("another verdict", `"verdict":"fail"`, `"verdict":"maybe"`),
		Entry("an unknown key", `"version":1`, `"version":1,"extra":0`),
		Entry("an unknown rule", `"rule":"within"`, `"rule":"withn"`),
		Entry("another spelling of NaN", `"NaN"`, `"nan"`),
		Entry("a fail without a reason", `"reason":"2 of 3 outputs differ"`, `"reason":""`),
	)

	DescribeTable("that cannot be understood is an error",
		func(text, says string) {
			Expect(json.Unmarshal([]byte(text), new(compare.Document))).To(
				MatchError(ContainSubstring(says)))
		},
		Entry("no document", `[]`, "a report"),
		Entry("another kind", `{"version": 1, "kind": "divergence"}`, `kind is "divergence"`),
		Entry("a later version", `{"version": 2, "kind": "comparison"}`, "reads 1 to 1"),
		Entry("an output of no pair", `{"version": 1, "kind": "comparison", "pairs": [],
			"outputs": [{"name": "y", "pair": 0}]}`, `output "y" belongs to none of its 0 pairs`),
	)
})

var _ = Describe("Finite", func() {
	It("names the outputs that are not, and the first places", func() {
		report, err := compare.Finite([]*tensor.Set{
			sets("x", tensor.Of(1.0), "y", tensor.Of(1, nan, inf))}, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail))
		Expect(report.Reason).To(Equal("1 of 2 outputs are not finite"))
		Expect(report.Outputs[1].Reason).To(Equal("not finite: 1 NaN at [1], 1 +Inf at [2]"))
		Expect(reportschema.ValidatePart(marshal(report), "report")).To(Succeed())
		Expect(report.Outputs[1].Statistics().Actual.First()).To(Equal([]int{1}))
	})

	It("passes what is finite, and says that integers and strings are not tested", func() {
		set := sets("x", tensor.Of(1.0), "y", texts("NaN"), "label", tensor.Of[int64](1))
		report, err := compare.Finite([]*tensor.Set{set, set}, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.Notes).To(HaveExactElements(
			`not tested, because their types cannot represent NaN or infinities: ["y" "label"]`))
	})

	float4, err := tensor.FromBytes(tensor.Float4E2M1, tensor.Shape{2}, []byte{0x12})
	must(err)
	DescribeTable("proves nothing about types without such values", func(t *tensor.Tensor) {
		for _, allowEmpty := range []bool{false, true} {
			_, err := compare.Finite([]*tensor.Set{sets("x", t)}, allowEmpty)
			powerless := new(compare.Powerless)
			Expect(errors.As(err, &powerless)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(HavePrefix("compare: a search for NaN and infinities proves " +
				`nothing about output "x"`)))
		}
	},
		Entry("integers", tensor.Of[int64](1)), Entry("bools", tensor.Of(true)),
		Entry("strings", texts("NaN")), Entry("float4", float4))

	It("proves nothing if only the integers have elements", func() {
		_, err := compare.Finite([]*tensor.Set{
			sets("x", tensor.Of[float32](), "y", tensor.Of[int64](1))}, false)
		Expect(err).To(MatchError(ContainSubstring("AllowEmpty")))
	})

	It("is an error where there is nothing to look at", func() {
		_, err := compare.Finite(nil, true)
		Expect(err).To(MatchError(ContainSubstring("no outputs")))
		empty := []*tensor.Set{sets("boxes", tensor.Of[float32]())}
		_, err = compare.Finite(empty, false)
		Expect(err).To(MatchError(ContainSubstring("AllowEmpty")))
		_, err = compare.Finite(empty, true)
		Expect(err).NotTo(HaveOccurred())
	})
})

var _ = DescribeTable("the first place that is not finite",
	func(t *tensor.Tensor, want []int) { Expect(compare.CensusOf(t).First()).To(Equal(want)) },
	Entry("none", tensor.Of(1.0), nil),
	Entry("a NaN", tensor.Of(1, nan), []int{1}),
	Entry("an infinity before a NaN", tensor.Of(1, -inf, nan), []int{1}),
	Entry("a NaN before an infinity", shaped(tensor.Shape{2, 2}, tensor.Of(1, nan, inf, nan)),
		[]int{0, 1}),
)

var _ = It("keeps the names of runs in one line", func() {
	d := compare.Document{Pairs: []compare.Pair{{Actual: "n\nFORGED", Expected: "::error::x\n FORGED",
		Report: compare.Report{Verdict: compare.Fail, Reason: "n\nFORGED"}}}}
	Expect(hostile.Found(d.Text(4) + d.Summary())).To(BeEmpty())
})
