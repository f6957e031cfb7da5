package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("HaveShape", func() {
	matrix := func() *tensor.Tensor { return shaped(f32(1, 2, 3, 4, 5, 6), 2, 3) }

	DescribeTable("compares rank and every dimension",
		func(t func() *tensor.Tensor, dims []int, matches bool) {
			Expect(HaveShape(dims...).Match(t())).To(Equal(matches))
		},
		Entry("equal", matrix, []int{2, 3}, true),
		Entry("any length on one axis", matrix, []int{AnyLength, 3}, true),
		Entry("another length", matrix, []int{2, 4}, false),
		Entry("a lower rank is not flattened", matrix, []int{6}, false),
		Entry("a leading 1 is not broadcast", matrix, []int{1, 2, 3}, false),
		Entry("0-d has no dimensions", func() *tensor.Tensor { return tensor.Scalar(1.0) },
			[]int{}, true),
		Entry("0-d is not one element", func() *tensor.Tensor { return tensor.Scalar(1.0) },
			[]int{1}, false),
	)

	It("looks at the only output of every iteration of a run", func() {
		Expect(run(set("y", f32(1, 2)), set("y", f32(3, 4)))).To(HaveShape(2))
		Expect(run(set("y", f32(1, 2)), set("y", f32(3)))).NotTo(HaveShape(2))
	})

	It("says both shapes and a few values, never all", func() {
		m := HaveShape(AnyLength, 4)
		Expect(m.Match(matrix())).To(BeFalse())
		Expect(m.FailureMessage(nil)).To(Equal(
			"Expected\n    float32[2,3] [1 2 3 4 5 6]\nto have shape\n    [?,4]"))
		m = HaveShape(2, 3)
		Expect(m.Match(matrix())).To(BeTrue())
		Expect(m.NegatedFailureMessage(nil)).To(Equal(
			"Expected\n    float32[2,3] [1 2 3 4 5 6]\nnot to have shape\n    [2,3]"))
	})

	DescribeTable("is misused by",
		func(actual func() any, dims []int, says string) {
			_, err := HaveShape(dims...).Match(actual())
			Expect(err).To(MatchError(says))
		},
		Entry("a negative length", func() any { return matrix() }, []int{-2},
			"HaveShape[-2]: dimension 0 is -2: a length cannot be negative; "+
				"use AnyLength for any length"),
		Entry("a run with two outputs", func() any { return run(set("a", f32(1), "b", f32(2))) },
			[]int{1}, `HaveShape[1]: iteration 0 has 2 outputs ["a" "b"]: `+
				`select one with HaveOutput`),
		Entry("a slice of numbers", func() any { return []float32{1} }, []int{1},
			"HaveShape[1]: got []float32, wanted a *backends.Run, a *tensor.Set, "+
				"a []*tensor.Set or a *tensor.Tensor"),
		Entry("nothing", func() any { return nil }, []int{1},
			"HaveShape[1]: got nil, wanted a *backends.Run, a *tensor.Set, "+
				"a []*tensor.Set or a *tensor.Tensor"),
		Entry("a nil run", func() any { return run() }, []int{1},
			"HaveShape[1]: the run has no iterations, so it has no output"),
	)
})
