package decisions_test

import (
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Masks", func() {
	expected := func() *tensor.Tensor {
		return shaped[int64](tensor.Shape{1, 3, 4}, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1)
	}

	It("excuse only pixels next to a boundary", func() {
		actual := shaped[int64](tensor.Shape{1, 3, 4}, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1)
		f := judged(decisions.Mask{Boundary: 1}, actual, expected())
		Expect(counts(f)).To(Equal([]int{12, 1, 1})) // column 1 touches class 1, column 0 does not
		Expect(f.Flips[0].String()).To(
			Equal("pixel [0,0]: class 1, expected class 0"))
		Expect(measured(f, "equal pixels")).To(BeNumerically("~", 10./12, 1e-12))
		Expect(measured(f, "mean IoU")).To(BeNumerically("~", (4./6+6./8)/2, 1e-12))
		Expect(refused(decisions.Mask{Boundary: 2}, actual, expected())).
			To(MatchError(ContainSubstring("0 of 12 pixels could fail")))
		Expect(judged(decisions.Mask{Agreement: 0.8}, actual, expected()).Pass).To(BeTrue())
		Expect(judged(decisions.Mask{MeanIoU: 0.8}, actual, expected()).Pass).To(BeFalse())
	})

	It("come of scores, with a margin", func() {
		e := shaped(tensor.Shape{1, 2, 2, 2}, 1, 0, 1, 0.5, 0, 1, 0.9, 1.)
		a := shaped(tensor.Shape{1, 2, 2, 2}, 1, 0, 0.9, 1, 0, 1, 1, 0.5)
		f := judged(decisions.Mask{From: decisions.FromScores, Axis: 1, Margin: 0.2}, a, e)
		Expect(counts(f)).To(Equal([]int{4, 1, 1}))
		Expect(f.Flips[0].Where).To(Equal("pixel [1,1]"))
		Expect(f.Flips[0].Margin).To(Equal(0.5))
		last := judged(decisions.Mask{From: decisions.FromScores, Axis: -1},
			shaped(tensor.Shape{1, 2, 2}, 1., 0, 0, 1), shaped(tensor.Shape{1, 2, 2}, 0., 1, 1, 0))
		Expect(last.Unexcused).To(Equal(2))
	})

	It("come of a threshold, with a margin", func() {
		e, a := shaped(tensor.Shape{1, 3}, 0.1, 0.49, 0.9), shaped(tensor.Shape{1, 3}, 0.1, 0.51, 0.3)
		f := judged(decisions.Mask{From: decisions.FromThreshold, Threshold: 0.5, Margin: 0.05}, a, e)
		Expect(counts(f)).To(Equal([]int{3, 1, 1}))
	})

	It("never excuse NaN", func() {
		e := shaped(tensor.Shape{1, 2}, 0.1, 0.9)
		a := shaped(tensor.Shape{1, 2}, 0.1, math.NaN())
		f := judged(decisions.Mask{From: decisions.FromThreshold, Threshold: 0.5, Margin: 9, Boundary: 9},
			a, e)
		Expect(f.Flips[0].String()).To(Equal("pixel [0,1]: NaN, expected class 1"))
	})

	It("measure the distance to a boundary as its definition does", func() {
		r := rand.New(rand.NewPCG(5, 6))
		for range 200 {
			h, w := 1+r.IntN(8), 1+r.IntN(8)
			values, other := make([]int32, 2*h*w), make([]int32, 2*h*w)
			for i := range values {
				if r.IntN(6) == 0 {
					values[i] = int32(1 + r.IntN(2))
				}
			}
			for i := range other {
				other[i] = 7
			}
			values[0], values[h*w] = 0, 1
			boundary, excused := r.IntN(4), 0
			for i, v := range values {
				first := i / (h * w) * h * w
				near := false
				for j := first; j < first+h*w; j++ {
					dy, dx := (j-first)/w-(i-first)/w, (j-first)%w-(i-first)%w
					near = near || values[j] != v && max(dy, -dy, dx, -dx) <= boundary
				}
				if near {
					excused++
				}
			}
			shape := tensor.Shape{2, h, w}
			f := judged(decisions.Mask{Boundary: boundary, MeanIoU: 1}, shaped(shape, other...),
				shaped(shape, values...))
			Expect(f.Excused).To(Equal(excused), "%v %v %d", shape, values, boundary)
		}
	})

	DescribeTable("refuse a mask without a decision, and what is none",
		func(rule decisions.Mask, e *tensor.Tensor, says string) {
			Expect(refused(rule, e, e)).To(MatchError(ContainSubstring(says)))
		},
		Entry("one class", decisions.Mask{}, tensor.Of[int64](1, 1), "want axes for height and width"),
		Entry("scores", decisions.Mask{}, tensor.Of(1., 2), "set From to FromScores and an Axis"),
		Entry("a margin of classes", decisions.Mask{Margin: 1}, tensor.Of[int64](1),
			"class ids do not say how close a decision was"),
		Entry("no such axis", decisions.Mask{From: decisions.FromScores, Axis: 4}, tensor.Of(1., 2),
			"no axis 4"),
		Entry("a boundary below 0", decisions.Mask{Boundary: -1}, tensor.Of(1., 2), "0 or more"),
		Entry("an agreement above 1", decisions.Mask{Agreement: 99}, tensor.Of(1., 2),
			"agreement: the lower limit is"),
	)

	It("refuse a mask of one class", func() {
		flat := shaped[int64](tensor.Shape{2, 2}, 1, 1, 1, 1)
		Expect(refused(decisions.Mask{}, flat, flat)).
			To(MatchError(ContainSubstring("has the same class")))
	})
})
