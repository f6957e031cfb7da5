package compare_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("types narrower than a byte, and one without a sign", func() {
	DescribeTable("count the values between two elements",
		func(elem tensor.ElementType, actual, expected byte, apart int) {
			x, err := tensor.FromBytes(elem, tensor.Shape{1}, []byte{actual})
			Expect(err).NotTo(HaveOccurred())
			y, err := tensor.FromBytes(elem, tensor.Shape{1}, []byte{expected})
			Expect(err).NotTo(HaveOccurred())
			for limit, want := range map[int]compare.Verdict{
				apart: compare.Pass, apart - 1: compare.Fail} {
				out, err := compare.Tensors(x, y, compare.Options{
					Checks: []compare.Check{compare.ULP(limit)}})
				Expect(err).NotTo(HaveOccurred())
				Expect(out.Verdict).To(Equal(want), "ULP(%d)", limit)
			}
		},
		Entry("float4: -0.5, 0 and 0.5, 1", tensor.Float4E2M1, byte(0x9), byte(0x2), 3),
		Entry("float4: 4 and 6", tensor.Float4E2M1, byte(0x6), byte(0x7), 1),
		Entry("float8_e8m0: 2 and 1, whose top bit differs", tensor.Float8E8M0,
			byte(0x80), byte(0x7f), 1),
	)

	It("permute element by element under AnyShape", func() {
		// 2 × 3 of the values 0 … 3, and its transpose, four to a byte.
		x, err := tensor.FromBytes(tensor.Uint2, tensor.Shape{3, 2}, []byte{0b01_01_11_00, 0b00_10})
		Expect(err).NotTo(HaveOccurred())
		y, err := tensor.FromBytes(tensor.Uint2, tensor.Shape{2, 3}, []byte{0b11_10_01_00, 0b00_01})
		Expect(err).NotTo(HaveOccurred())
		out, err := compare.Tensors(x, y, compare.Options{AnyShape: true,
			Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Verdict).To(Equal(compare.Pass), out.Reason)
	})
})
