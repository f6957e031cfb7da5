package goldenfiles_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A tensor printed as a grid", func() {
	numbers := func(shape ...int) *tensor.Tensor {
		GinkgoHelper()
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]int32, n)
		for i := range values {
			values[i] = int32(i)
		}
		t, err := tensor.New(shape, values)
		Expect(err).NotTo(HaveOccurred())
		return t
	}
	DescribeTable("looks as NumPy prints it", func(t *tensor.Tensor, edge, width int, want string) {
		Expect(goldenfiles.Grid(t, edge, width)).To(Equal(want))
	},
		Entry("scalar", tensor.Scalar(float32(1.5)), 3, 75, "1.5"),
		Entry("row", numbers(3), 3, 75, "[0 1 2]"),
		Entry("rows", numbers(2, 2), 3, 75, "[[0 1]\n [2 3]]"),
		Entry("three dimensions", numbers(2, 1, 2), 3, 75, "[[[0 1]]\n [[2 3]]]"),
		Entry("a long row", numbers(8), 3, 75, "[0 1 2 ... 5 6 7]"),
		Entry("long in both", numbers(5, 5), 1, 75, "[[0 ... 4]\n ...\n [20 ... 24]]"),
		Entry("all of it", numbers(8), -1, 0, "[0 1 2 3 4 5 6 7]"),
		Entry("nothing but the ellipsis", numbers(8), 0, 75, "[...]"),
		Entry("broken lines", numbers(6), 3, 7, "[0 1 2\n 3 4 5]"),
		Entry("empty", numbers(0), 3, 75, "[]"),
		Entry("empty rows", numbers(2, 0), 3, 75, "[]"),
		Entry("text", tensor.Of[int8](1), 3, 75, "[1]"),
	)
	It("of a million elements is short", func() {
		Expect(len(goldenfiles.Grid(numbers(1000, 1000), 3, 75))).To(BeNumerically("<", 1000))
		Expect(strings.Count(goldenfiles.Grid(numbers(1000, 1000), 3, 75), "...")).To(Equal(7))
	})
	It("of no tensor is nothing", func() {
		Expect(goldenfiles.Grid(nil, 3, 75)).To(BeEmpty())
	})
})
