package compare_test

import (
	"encoding/json"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// countOf passes where at most so many elements differ.
func countOf(most int) compare.Check {
	return compare.Func("differing", func(actual, expected *tensor.Tensor) (compare.Judgement, error) {
		differing := 0
		for i := range actual.Len() {
			if actual.Text(i) != expected.Text(i) {
				differing++
			}
		}
		j := compare.Judgement{Verdict: compare.Pass, Value: float64(differing), Limit: float64(most),
			Text: "counted by a spec"}
		if differing > most {
			j.Verdict = compare.Fail
		}
		return j, nil
	})
}

// says judges every pair alike.
func says(j compare.Judgement, err error) compare.Check {
	return compare.Func("own", func(_, _ *tensor.Tensor) (compare.Judgement, error) { return j, err })
}

var _ = Describe("a rule of the user's own", func() {
	x, y := tensor.Of[float32](1, 2, 3), tensor.Of[float32](1, 2.5, 4)

	It("has a verdict, a value, a limit and a text in the report", func() {
		out := one(x, y, countOf(1))
		Expect(out.Verdict).To(Equal(compare.Fail))
		Expect(out.Reason).To(Equal("differing: value 2, limit 1, counted by a spec"))
		Expect(out.Results[0].Value).To(Equal(2.0))
		Expect(out.Results[0].Limit).To(Equal(1.0))
		Expect(out.Text()).To(And(ContainSubstring("differing: value 2, limit 1, counted by a spec\n"),
			ContainSubstring("fails  differing\n")), "the numbers are not repeated")
		Expect(out.Statistics().Abs.Max).To(Equal(1.0), "the errors are told all the same")

		out = one(x, y, countOf(2))
		Expect(out.Verdict).To(Equal(compare.Pass))
		Expect(out.Text()).To(ContainSubstring("differing (value 2, limit 2, counted by a spec)"))
	})

	It("is offered no tolerance that would pass", func() {
		out, err := compare.Tensors(x, y, compare.Options{Checks: checks(exact, countOf(1))})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Statistics().Required).To(HaveLen(1))
		Expect(strings.Count(out.Text(), "would pass")).To(Equal(1))
	})

	It("survives JSON, but for the function", func() {
		report, err := compare.Sets(sets("boxes", x), sets("boxes", y),
			compare.Options{Checks: checks(exact, countOf(1))})
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		var read compare.Report
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Text()).To(Equal(report.Text()))
		_, err = compare.Tensors(x, y, compare.Options{Checks: checks(
			read.Outputs[0].Results[1].Check)})
		Expect(err).To(MatchError(ContainSubstring("which cannot hold its function: create the " +
			"check with Func again")))
	})

	It("gets the tensors after top-k, and works next to other rules", func() {
		var seen *tensor.Tensor
		look := compare.Func("look", func(actual, _ *tensor.Tensor) (compare.Judgement, error) {
			seen = actual
			return compare.Judgement{Verdict: compare.Pass}, nil
		})
		_, err := compare.Tensors(x, y, compare.Options{Checks: checks(exact, look),
			TopK: map[string]compare.TopK{"": {K: 1, Axis: -1}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(seen.ElementType()).To(Equal(tensor.Int64))
	})

	It("is equal to itself under ==, and to no other call", func() {
		check := countOf(1)
		other, same := countOf(1), check
		for what, equal := range map[string]bool{"the same call": check == same,
			"another call": check != other, "the same rule and limit": compare.L2(1) == compare.L2(1),
			"another limit": compare.L2(1) != compare.L2(2)} {
			Expect(equal).To(BeTrue(), what)
		}
	})

	DescribeTable("is an error where it cannot be used",
		func(check compare.Check, o compare.Options, text string) {
			o.Checks = checks(check)
			_, err := compare.Tensors(x, y, o)
			Expect(err).To(MatchError(ContainSubstring(text)))
		},
		Entry("its own error", says(compare.Judgement{}, errors.New("no boxes")), compare.Options{},
			"compare: own: no boxes (the output)"),
		Entry("no verdict", says(compare.Judgement{Value: 1}, nil), compare.Options{},
			`the Judgement's verdict is ""`),
		Entry("no name", compare.Func("", nil), compare.Options{}, "has an empty name"),
		Entry("a name that is taken", compare.Func("l2", nil), compare.Options{},
			"has a rule with that name"),
		Entry("no function", compare.Func("own", nil), compare.Options{}, "the function is nil"),
		Entry("averages", says(compare.Judgement{}, nil), compare.Options{Average: true},
			"no number to average"),
		Entry("a share of mismatches", says(compare.Judgement{}, nil).AllowMismatch(0.1),
			compare.Options{}, "needs an elementwise check"),
	)
})
