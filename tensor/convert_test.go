package tensor_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Converting a tensor", func() {
	source := tensor.Of[float32](1, 1.0009765625, 70000, float32(math.Inf(-1)))

	DescribeTable("rounds to nearest and overflows to infinity",
		func(elem tensor.ElementType, want ...any) {
			converted, err := source.Convert(elem)
			Expect(err).NotTo(HaveOccurred())
			Expect(converted.ElementType()).To(Equal(elem))
			for i, value := range want {
				Expect(converted.Float64At(i)).To(BeNumerically("==", value))
			}
		},
		Entry("float16", tensor.Float16, 1.0, 1.0009765625, math.Inf(1), math.Inf(-1)),
		Entry("bfloat16", tensor.BFloat16, 1.0, 1.0, 70144.0, math.Inf(-1)),
		Entry("float64", tensor.Float64, 1.0, 1.0009765625, 70000.0, math.Inf(-1)),
	)

	DescribeTable("rounds a float64 once, even if float32 would make it a tie",
		func(elem tensor.ElementType, value, want float64) {
			for _, sign := range []float64{1, -1} {
				converted, err := tensor.Of(sign * value).Convert(elem)
				Expect(err).NotTo(HaveOccurred())
				Expect(converted.Float64At(0)).To(BeNumerically("==", sign*want))
			}
		},
		Entry("float16, above a tie", tensor.Float16, 1+0x1p-11+0x1p-40, 1+0x1p-10),
		Entry("float16, below a tie", tensor.Float16, 1+0x3p-11-0x1p-40, 1+0x1p-10),
		Entry("float16, subnormal", tensor.Float16, 0x1p-25+0x1p-60, 0x1p-24),
		Entry("float16, the largest", tensor.Float16, 65520-0x1p-20, 65504.),
		Entry("bfloat16, above a tie", tensor.BFloat16, 1+0x1p-8+0x1p-40, 1+0x1p-7),
		Entry("bfloat16, below a tie", tensor.BFloat16, 1+0x3p-8-0x1p-40, 1+0x1p-7),
		Entry("bfloat16, subnormal", tensor.BFloat16, 0x1p-134+0x1p-160, 0x1p-133),
		Entry("bfloat16, the largest", tensor.BFloat16, 0x1.ffp127-0x1p90, 0x1.fep127),
	)

	It("gives the tensor itself for its own type, and float32 back from float16", func() {
		Expect(source.Convert(tensor.Float32)).To(BeIdenticalTo(source))
		half := tensor.Of(float16.Fromfloat32(0.5))
		Expect(half.Convert(tensor.Float32)).To(HaveField("Float64s()", []float64{0.5}))
	})

	It("refuses types without rounding", func() {
		Expect(tensor.Of[int8](1).Convert(tensor.Float32)).Error().To(MatchError(
			"tensor: int8 cannot be converted to float32"))
		Expect(source.Convert(tensor.Int8)).Error().To(HaveOccurred())
	})
})
