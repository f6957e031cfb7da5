package matchers_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// step is one link of a matcher's chain.
type step struct {
	name string
	add  func(*OutputsMatcher) *OutputsMatcher
}

// orders is every order of some steps.
func orders(steps []step) [][]step {
	if len(steps) < 2 {
		return [][]step{steps}
	}
	var all [][]step
	for i := range steps {
		rest := append(append([]step{}, steps[:i]...), steps[i+1:]...)
		for _, order := range orders(rest) {
			all = append(all, append([]step{steps[i]}, order...))
		}
	}
	return all
}

var _ = Describe("the order in which a matcher's checks are given", func() {
	wide := step{"Within wide", func(m *OutputsMatcher) *OutputsMatcher {
		return m.Within(1, 1, Elementwise)
	}}
	ulp := step{"With ULP(0)", func(m *OutputsMatcher) *OutputsMatcher {
		return m.With(compare.ULP(0))
	}}
	cosine := step{"With cosine", func(m *OutputsMatcher) *OutputsMatcher {
		return m.With(compare.CosineSimilarity(0.5))
	}}
	narrow := step{"Within narrow", func(m *OutputsMatcher) *OutputsMatcher {
		return m.Within(1e-9, 0, Elementwise)
	}}
	aWide := step{"a wide", func(m *OutputsMatcher) *OutputsMatcher {
		return m.ForOutput("a", 1, 1, Max)
	}}
	aULP := step{"a ULP(0)", func(m *OutputsMatcher) *OutputsMatcher {
		return m.ForOutputWith("a", compare.ULP(0))
	}}
	aCosine := step{"a cosine", func(m *OutputsMatcher) *OutputsMatcher {
		return m.ForOutputWith("a", compare.CosineSimilarity(0.5))
	}}

	for _, row := range []struct {
		start   string
		matcher func() *OutputsMatcher
		steps   []step
		matches bool
		misuse  string
	}{
		{"MatchOutputs()", func() *OutputsMatcher { return MatchOutputs() },
			[]step{wide, cosine}, true, ""},
		{"MatchOutputs()", func() *OutputsMatcher { return MatchOutputs() },
			[]step{wide, ulp, cosine}, false, ""},
		{"MatchOutputs(ULP(0))", func() *OutputsMatcher { return MatchOutputs(compare.ULP(0)) },
			[]step{wide}, false, ""},
		{"MatchOutputs(ULP(0))", func() *OutputsMatcher { return MatchOutputs(compare.ULP(0)) },
			[]step{wide, cosine, aCosine}, false, ""}, // for output b
		{"MatchOutputsWithin wide", func() *OutputsMatcher {
			return MatchOutputsWithin(1, 1, Elementwise)
		}, []step{ulp}, false, ""},
		{"MatchOutputsWithin wide", func() *OutputsMatcher {
			return MatchOutputsWithin(1, 1, Elementwise)
		}, []step{wide, cosine}, true, ""}, // twice the same is not a contradiction
		{"MatchOutputs()", func() *OutputsMatcher { return MatchOutputs() },
			[]step{wide, cosine, narrow}, false, "two tolerances for every output"},
		{"MatchOutputsWithin wide", func() *OutputsMatcher {
			return MatchOutputsWithin(1, 1, Elementwise)
		}, []step{aWide, aULP}, false, ""},
		{"MatchOutputsWithin wide", func() *OutputsMatcher {
			return MatchOutputsWithin(1, 1, Elementwise)
		}, []step{aWide, aCosine, cosine}, true, ""},
	} {
		for _, order := range orders(row.steps) {
			names := []string{row.start}
			for _, s := range order {
				names = append(names, s.name)
			}
			It("does not matter: "+strings.Join(names, ", "), func() {
				expected := set("a", f32(1, 2), "b", f32(3, 4))
				actual := set("a", f32(1.0001, 2), "b", f32(3.0001, 4))
				m := row.matcher()
				for _, s := range order {
					m = s.add(m)
				}
				matches, err := m.Of(expected).Match(actual)
				if row.misuse != "" {
					Expect(err).To(MatchError(ContainSubstring(row.misuse)))
					return
				}
				Expect(err).NotTo(HaveOccurred())
				Expect(matches).To(Equal(row.matches))
			})
		}
	}

	It("does not leak from a copy into the matcher it was made from", func() {
		base := MatchOutputsWithin(1, 1, Elementwise).ForOutputWith("tensor", compare.L2(9))
		_ = base.ForOutput("tensor", 0, 0, Max).With(compare.ULP(0))
		Expect(f32(1)).To(base.Of(f32(1.5)))
	})
})

var _ = Describe("a rule of the user's own in a matcher", func() {
	sums := compare.Func("sum", func(actual, expected *tensor.Tensor) (compare.Judgement, error) {
		total := 0.0
		for i := range actual.Len() {
			total += actual.Float64At(i) - expected.Float64At(i)
		}
		j := compare.Judgement{Verdict: compare.Pass, Value: total, Limit: 1}
		if total > 1 {
			j.Verdict, j.Text = compare.Fail, "the sum moved"
		}
		return j, nil
	})

	It("holds every output, or one, and stands in the message", func() {
		m := MatchOutputs(sums).Of(f32(1, 2))
		Expect(f32(1.5, 2.5)).To(m)
		Expect(f32(1.5, 2.5)).To(MatchOutputs().ForOutputWith("tensor", sums).Of(f32(1, 2)))
		Expect(failure(m, f32(2, 3))).To(ContainSubstring(
			"sum: value 2, limit 1, the sum moved\n      fails  sum\n"))
		Expect(fmt.Sprint(m)).To(Equal("match a tensor within sum"))
	})
})
