package matchers_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("BeFinite", func() {
	nan, inf := math.NaN(), math.Inf(1)

	DescribeTable("looks at every element of every type",
		func(t *tensor.Tensor, finite bool) {
			Expect(BeFinite().Match(t)).To(Equal(finite))
		},
		Entry("finite float32", f32(1, -2, 0), true),
		Entry("the greatest float32 is finite", f32(math.MaxFloat32), true),
		Entry("NaN in float32", f32(1, float32(nan)), false),
		Entry("+Inf in float64", tensor.Of(0, inf), false),
		Entry("-Inf in float64", tensor.Of(0, -inf), false),
		Entry("Inf in float16", tensor.Of(float16.Inf(1)), false),
		Entry("NaN in bfloat16", tensor.Of(tensor.BF16(0x7fc0)), false),
		Entry("the greatest bfloat16 is finite", tensor.Of(tensor.BF16(0x7f7f)), true),
	)

	It("looks at every output of every iteration", func() {
		good, bad := set("a", f32(1), "b", f32(2)), set("a", f32(1), "b", f32(float32(nan)))
		Expect(run(good, good)).To(BeFinite())
		Expect(run(good, bad)).NotTo(BeFinite())
	})

	It("is an error if nothing could be NaN or infinite", func() {
		for _, nothing := range []any{run(), run(set()), set(), f32(), tensor.Of[int64](math.MaxInt64),
			tensor.Of(true, false), stringTensor("NaN")} {
			_, err := BeFinite().Match(nothing)
			Expect(err).To(MatchError(HavePrefix("BeFinite: compare: ")), "%v", nothing)
		}
		Expect(set("y", f32(1), "label", tensor.Of[int64](1))).To(BeFinite())
	})

	It("gives a census with the first positions", func() {
		values := make([]float32, 12)
		for i := range 7 {
			values[i] = float32(nan)
		}
		values[9], values[11] = float32(inf), float32(-inf)
		r := run(set("ok", f32(1), "bad", shaped(f32(values...), 3, 4)),
			set("ok", f32(float32(-inf)), "bad", f32(0)))
		Expect(failure(BeFinite(), r)).To(Equal("Expected every element to be finite, but\n" +
			"    \"bad\", iteration 0, 12 elements: 7 NaN at [0,0] [0,1] [0,2] [0,3] [1,0] …, " +
			"1 +Inf and 1 -Inf at [2,1] [2,3]\n" +
			"    \"ok\", iteration 1, 1 elements: 1 -Inf at [0]"))
	})

	It("says how much was finite where it should not have been", func() {
		Expect(negated(BeFinite(), run(set("a", f32(1), "b", f32(2))))).To(Equal(
			"Expected an element that is NaN or infinite, " +
				"but every element of 2 outputs is finite"))
	})

	It("is an error for values that are not outputs, so that NotTo fails as well", func() {
		for _, misuse := range []any{nil, 1.5, []float32{1}, (*tensor.Tensor)(nil)} {
			_, err := BeFinite().Match(misuse)
			Expect(err).To(MatchError(HavePrefix("BeFinite: got ")), "%v", misuse)
		}
	})

	It("names the node that produces them, where the run is of an engine", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
		run, err := ort.Run(ctx, model, fixtures.Random(model, fixtures.ValRange(1e38, 3e38)))
		Expect(err).NotTo(HaveOccurred())
		Expect(failure(BeFinite(), run)).To(And(
			ContainSubstring(`digits.onnx in onnxruntime: Conv "conv1" (node 0)`),
			ContainSubstring(`from  weight "conv1.weight" float32`)))
	})
})
