package matchers_test

import (
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/compare/decisions"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the matchers of labelled sets", func() {
	// named is n rows of scores that name class 1, and class 2 in the rows from..to.
	named := func(n, from, to int) *tensor.Tensor {
		values := make([]float32, 3*n)
		for i := range n {
			class := 1
			if i >= from && i < to {
				class = 2
			}
			values[3*i+class] = 1
		}
		return shaped(f32(values...), n, 3)
	}
	labels := func(n int) []int {
		all := make([]int, n)
		for i := range all {
			all[i] = 1
		}
		return all
	}
	layout := decisions.Layout{Packed: "boxes", Columns: "x0 y0 x1 y1 score class"}
	// detected is an image each with an object, of another class in the first images.
	detected := func(n, wrong int) *tensor.Set {
		values := make([]float32, 0, 6*n)
		for i := range n {
			class := float32(1)
			if i < wrong {
				class = 2
			}
			values = append(values, 0, 0, 50, 50, 0.75, class)
		}
		return set("boxes", shaped(f32(values...), n, 1, 6))
	}
	truth := func(n int) [][]decisions.Truth {
		all := make([][]decisions.Truth, n)
		for i := range all {
			all[i] = []decisions.Truth{{Box: decisions.Box{0, 0, 50, 50}, Class: 1}}
		}
		return all
	}

	It("hold a loss of accuracy with confidence", func() {
		Expect(named(300, 0, 0)).
			To(MatchDecisions(decisions.AccuracyLoss{Labels: labels(300), Most: 0.01}).
				Of(named(300, 0, 0)))
		Expect(named(300, 0, 5)).
			To(MatchDecisions(decisions.AccuracyLoss{Labels: labels(300), Most: 0.05}).
				Of(named(300, 9, 20)))
		expectText("loss_accuracy", failure(
			MatchDecisions(decisions.AccuracyLoss{Labels: labels(300), Most: 0.01}).Of(named(300, 0, 0)),
			named(300, 8, 10)))
		first := shaped(f32(1, 0, 0, 1, 0, 0), 2, 3)
		loss := MatchDecisions(decisions.AccuracyLoss{Labels: []int{0, 0}, Most: 0.9}).Of(first)
		Expect(named(2, 0, 0)).NotTo(loss)
		Expect(named(2, 0, 0)).
			To(MatchDecisions(decisions.AccuracyLoss{Labels: []int{0, 0}, Most: 0.9, K: 2}).Of(first))
	})

	It("hold a loss of precision with confidence", func() {
		Expect(detected(20, 1)).
			To(MatchDecisions(decisions.AveragePrecisionLoss{Layout: layout, Truth: truth(20),
				Most: 0.3}).Of(detected(20, 0)))
		expectText("loss_precision", failure(
			MatchDecisions(decisions.AveragePrecisionLoss{Layout: layout, Truth: truth(20), Most: 0.1}).
				Of(detected(20, 0)), detected(20, 5)))
	})

	It("hold a precision", func() {
		Expect(detected(20, 5)).To(HaveAveragePrecision(truth(20), layout, 0.5))
		m := HaveAveragePrecision(truth(20), layout, 0.9)
		expectText("average_precision", failure(m, detected(20, 5)))
		Expect(detected(20, 5)).NotTo(HaveAveragePrecision(truth(20), layout, 0.7).Confidently())
		Expect(m.Confidently().GomegaString()).To(
			Equal("have an AP of at least 0.9 with 95 % confidence on 20 labelled images"))
	})

	It("fail a precision whose boxes are not finite", func() {
		broken := detected(20, 5)
		boxes, _ := broken.Get("boxes")
		values, err := tensor.Values[float32](boxes)
		Expect(err).NotTo(HaveOccurred())
		values = slices.Clone(values)
		values[6*3+4] = float32(math.NaN())
		broken = set("boxes", shaped(f32(values...), 20, 1, 6))
		m := HaveAveragePrecision(truth(20), layout, 0.1)
		Expect(failure(m, broken)).
			To(And(HavePrefix("Expected AP on 20 labelled images to be at least"),
				ContainSubstring("detection 0 of image 3 is not finite: box [0 0 50 50], score NaN")))
		Expect(detected(20, 5)).To(m)
	})

	It("refuse misuse", func() {
		two := detected(2, 0)
		for says, m := range map[string]types.GomegaMatcher{
			"the required AP is 0: want more than 0": HaveAveragePrecision(truth(2), layout, 0),
			"the run has 2 images, but 3 are":        HaveAveragePrecision(truth(3), layout, 0.5),
			"nothing to compare with: add .Of(another": MatchDecisions(decisions.AccuracyLoss{
				Labels: labels(2), Most: 0.1}),
		} {
			_, err := m.Match(two)
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})
})
