package compare_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("outputs by pattern", func() {
	one, off := tensor.Of[float32](1), tensor.Of[float32](1.5)
	actual := sets("logits", one, "present.0.key", off, "present.0.value", one, "present.1.key", off)
	expected := sets("logits", one, "present.0.key", one, "present.0.value", one, "present.1.key", one)
	tight, loose := compare.Within(0, 0, compare.Max), compare.Within(1, 0, compare.Max)
	run := func(o compare.Options) (compare.Report, error) {
		o.Checks = checks(tight)
		return compare.Sets(actual, expected, o)
	}
	failed := func(o compare.Options) []string {
		GinkgoHelper()
		report, err := run(o)
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, out := range report.Outputs {
			if out.Verdict == compare.Fail {
				names = append(names, out.Name)
			}
		}
		return names
	}
	per := func(named ...any) compare.Options {
		o := compare.Options{PerOutput: map[string][]compare.Check{}}
		for i := 0; i < len(named); i += 2 {
			o.PerOutput[named[i].(string)] = checks(named[i+1].(compare.Check))
		}
		return o
	}

	It("hold every output that a pattern matches", func() {
		Expect(failed(compare.Options{})).To(Equal([]string{"present.0.key", "present.1.key"}))
		Expect(failed(per("present.*.key", loose))).To(BeEmpty())
		Expect(failed(per("present.?.key", loose))).To(BeEmpty())
		Expect(failed(per("present.[1-9].key", loose))).To(Equal([]string{"present.0.key"}))
	})

	It("give a name before a pattern", func() {
		Expect(failed(per("present.*", loose, "present.1.key", tight))).To(
			Equal([]string{"present.1.key"}))
	})

	It("post-process by pattern", func() {
		row, other := tensor.Of[float32](1, 2), tensor.Of[float32](1, 3)
		report, err := compare.Sets(sets("a.x", row, "b", row), sets("a.x", other, "b", row),
			compare.Options{Checks: checks(tight),
				TopK: map[string]compare.TopK{"a.*": {K: 1, Axis: -1}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
	})

	It("are compared alone, or left out, and counted", func() {
		Expect(failed(compare.Options{Only: []string{"logits", "*.value"}})).To(BeEmpty())
		Expect(failed(compare.Options{Except: []string{"*.key"}})).To(BeEmpty())
		Expect(failed(compare.Options{Only: []string{"present.*"}, Except: []string{"*0.key"}})).To(
			Equal([]string{"present.1.key"}))
		report, err := run(compare.Options{Except: []string{"*.key"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.LeftOut).To(Equal([]string{"present.0.key", "present.1.key"}))
		Expect(report.Text()).To(HaveSuffix(
			"2 outputs left out: [\"present.0.key\" \"present.1.key\"]\n"))
		d := compare.Document{Pairs: []compare.Pair{{Actual: "a", Expected: "e", Report: report}}}
		Expect(d.Summary()).To(Equal("PASSED: 2 outputs match, 2 outputs left out"))
		text, err := json.Marshal(d)
		Expect(err).NotTo(HaveOccurred())
		var read compare.Document
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Pairs[0].Report.LeftOut).To(Equal(report.LeftOut))
	})

	It("may be left out where one side alone has them, and under other names", func() {
		few := sets("logits", one)
		report, err := compare.Sets(few, expected, compare.Options{Checks: checks(tight),
			Only: []string{"logits"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		report, err = compare.Sets(sets("y", one, "z", off), expected, compare.Options{
			Checks: checks(tight), Only: []string{"y"}, Names: map[string]string{"y": "logits"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
	})

	DescribeTable("are misused by", func(o compare.Options, text string) {
		_, err := run(o)
		Expect(err).To(MatchError(ContainSubstring(text)))
	},
		Entry("a pattern that matches nothing", per("past.*", loose),
			`a check names "past.*", which matches no output; the outputs are ["logits" `),
		Entry("two patterns for one output", per("present.*", loose, "*.key", tight),
			`output "present.0.key" matches two patterns, "*.key" and "present.*": use `+
				"its exact name"),
		Entry("Only that matches nothing", compare.Options{Only: []string{"logits", "past.*"}},
			`Options.Only names "past.*", which matches no output`),
		Entry("Except for an unknown output", compare.Options{Except: []string{"past"}},
			`Options.Except names "past", which matches no output`),
		Entry("a choice of nothing", compare.Options{Except: []string{"*"}},
			"Options.Only and Options.Except leave no output to compare"),
		Entry("a check for what is left out", compare.Options{Except: []string{"logits"},
			PerOutput: map[string][]compare.Check{"logits": {loose}}},
			`there is a check for "logits", but Options.Only or Options.Except leaves that output out`),
	)
})
