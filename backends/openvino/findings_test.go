package openvino_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// number and words are attributes.
func number(name string, value int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Int: &value}
}

func words(name, value string) onnxtest.Attr { return onnxtest.Attr{Name: name, Text: value} }

// count is n floats from 1.
func count(shape ...int) *tensor.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i + 1)
	}
	return must(tensor.New(tensor.Shape(shape), list))
}

func filled(value float32, shape ...int) *tensor.Tensor {
	t := count(shape...)
	list := make([]float32, t.Len())
	for i := range list {
		list[i] = value
	}
	return must(tensor.New(tensor.Shape(shape), list))
}

// Each entry is a fault of OpenVINO in docs/evidence/findings.md, reduced to one node: what
// OpenVINO gives without an error, and what ONNX says, which ONNX Runtime gives where it runs the
// node. A release that mends one fails its entry: then the page changes too.
var _ = Describe("A finding", func() {
	needed()

	BeforeEach(func() {
		if abi := openvinoVersion(); abi != engines.OpenVINO.Version {
			Skip("docs/evidence/findings.md is about OpenVINO " + engines.OpenVINO.Version +
				", and this is " + abi)
		}
	})

	DescribeTable("is still true", func(ctx SpecContext, m *loaders.Model, inputs []tensor.Entry,
		wrong, right string, alone ...string) {
		Expect(values(run(ctx, m, feed(inputs...)))).To(ContainElement(wrong))
		Expect(wrong).NotTo(Equal(right))
		if len(alone) > 0 {
			return // ONNX Runtime refuses it, or gives the same
		}
		ort.Require(GinkgoT())
		expected, err := ort.Run(ctx, m, feed(inputs...))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(expected.Outputs()[0])).To(ContainElement(right))
	},
		Entry("int64 wraps around at 32 bits, even through Identity", unary("Identity", i64, 2),
			[]tensor.Entry{in("x", tensor.Of[int64](1<<32+7, 1<<31))},
			"y: int64[2] [7 -2147483648]", "y: int64[2] [4294967303 2147483648]"),
		Entry("float64 is computed in float32", unary("Neg", f64, 1),
			[]tensor.Entry{in("x", tensor.Of(1+0x1p-40))},
			"y: float64[1] [-1]", "y: float64[1] [-1.0000000000009095]"),
		Entry("an infinity is cast to the largest float32", model([]onnxtest.Value{io("x", f64, 2)},
			[]onnxtest.Value{io("y", f32, 2)}, nil, node("Cast", names("x"), names("y"),
				number("to", f32))),
			[]tensor.Entry{in("x", tensor.Of(math.Inf(1), math.Inf(-1)))},
			"y: float32[2] [3.4028235e+38 -3.4028235e+38]", "y: float32[2] [+Inf -Inf]"),
		Entry("an index out of range gathers 0", model([]onnxtest.Value{io("x", f32, 3), io("i", i64, 2)},
			[]onnxtest.Value{io("y", f32, 2)}, nil, node("Gather", names("x", "i"), names("y"))),
			[]tensor.Entry{in("x", count(3)), in("i", tensor.Of[int64](0, 7))},
			"y: float32[2] [1 0]", "an error", "alone"),
		Entry("the greatest of nothing is finite", model([]onnxtest.Value{io("x", f32, 2, 0)},
			[]onnxtest.Value{io("y", f32, 2, 1)},
			[]onnxtest.Tensor{{Name: "axes", Type: i64, Dims: []int64{1}, Raw: onnxtest.Int64s(1)}},
			node("ReduceMax", names("x", "axes"), names("y"))),
			[]tensor.Entry{in("x", shaped[float32](tensor.Shape{2, 0}))},
			"y: float32[2,1] [-3.4028235e+38 -3.4028235e+38]", "y: float32[2,1] [-Inf -Inf]"),
		Entry("MaxPool with ceil_mode pools from nothing but padding",
			model([]onnxtest.Value{io("x", f32, 1, 1, 2, 2)},
				[]onnxtest.Value{io("y", f32, nil, nil, nil, nil)}, nil,
				node("MaxPool", names("x"), names("y"), number("ceil_mode", 1),
					onnxtest.Attr{Name: "kernel_shape", Ints: []int64{1, 1}},
					onnxtest.Attr{Name: "strides", Ints: []int64{2, 2}})),
			[]tensor.Entry{in("x", count(1, 1, 2, 2))},
			"y: float32[1,1,2,2] [1 -3.4028235e+38 -3.4028235e+38 -3.4028235e+38]",
			"y: float32[1,1,1,1] [1]"),
		Entry("Resize leaves out keep_aspect_ratio_policy",
			model([]onnxtest.Value{io("x", f32, 1, 1, 2, 4)},
				[]onnxtest.Value{io("y", f32, nil, nil, nil, nil)},
				[]onnxtest.Tensor{{Name: "s", Type: i64, Dims: []int64{2}, Raw: onnxtest.Int64s(1, 3)}},
				node("Resize", names("x", "", "", "s"), names("y"),
					onnxtest.Attr{Name: "axes", Ints: []int64{2, 3}},
					words("keep_aspect_ratio_policy", "not_larger"))),
			[]tensor.Entry{in("x", count(1, 1, 2, 4))},
			"y: float32[1,1,1,3] [1 2 4]", "y: float32[1,1,1,2] [1 3]"),
		Entry("GRU takes a batch for a sequence where layout is 1",
			model([]onnxtest.Value{io("x", f32, 3, 1, 1), io("w", f32, 1, 3, 1), io("r", f32, 1, 3, 1)},
				[]onnxtest.Value{io("h", f32, nil, nil, nil), io("y", i64, 3)}, nil,
				node("GRU", names("x", "w", "r"), names("", "h"), number("hidden_size", 1),
					number("layout", 1)), node("Shape", names("h"), names("y"))),
			[]tensor.Entry{in("x", filled(1, 3, 1, 1)), in("w", filled(0.5, 1, 3, 1)),
				in("r", filled(0.5, 1, 3, 1))},
			"y: int64[3] [1 1 1]", "y: int64[3] [3 1 1]", "alone"),
	)

	// differs compares a run with ONNX Runtime's: they must differ, in whatever way.
	differs := func(ctx SpecContext, m *loaders.Model, inputs fixtures.Inputs) {
		GinkgoHelper()
		ort.Require(GinkgoT())
		expected, err := ort.Run(ctx, m, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(openvino.Run(ctx, m, inputs)).NotTo(
			MatchOutputsWithin(1e-3, 1e-3, Elementwise).Of(expected))
	}

	DescribeTable("is still true: Resize leaves out", func(ctx SpecContext, attribute, mode string,
		scale float32) {
		resize := func(value int64) *loaders.Model {
			return model([]onnxtest.Value{io("x", f32, 1, 1, 4, 4)},
				[]onnxtest.Value{io("y", f32, nil, nil, nil, nil)},
				[]onnxtest.Tensor{{Name: "s", Type: f32, Dims: []int64{4},
					Raw: onnxtest.Float32s(1, 1, scale, scale)}},
				node("Resize", names("x", "", "s"), names("y"), words("mode", mode),
					number(attribute, value)))
		}
		once := x(count(1, 1, 4, 4))
		Expect(values(run(ctx, resize(1), once))).To(Equal(values(run(ctx, resize(0), once))))
		differs(ctx, resize(1), once)
	},
		Entry(nil, "antialias", "linear", float32(0.6)),
		Entry(nil, "exclude_outside", "cubic", float32(2)),
	)

	It("is still true: LSTM leaves out the weights of its peepholes", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("x", f32, 2, 1, 1), io("w", f32, 1, 4, 1),
			io("r", f32, 1, 4, 1), io("p", f32, 1, 3)}, []onnxtest.Value{io("y", f32, 1, 1, 1)}, nil,
			node("LSTM", names("x", "w", "r", "", "", "", "", "p"), names("", "y"),
				number("hidden_size", 1)))
		inputs := func(p float32) fixtures.Inputs {
			return feed(in("x", filled(1, 2, 1, 1)), in("w", filled(0.5, 1, 4, 1)),
				in("r", filled(0.5, 1, 4, 1)), in("p", filled(p, 1, 3)))
		}
		Expect(values(run(ctx, m, inputs(3)))).To(Equal(values(run(ctx, m, inputs(0)))))
		differs(ctx, m, inputs(3))
	})

	It("is still true: TopK gives equal values in any order", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("x", i64, 3), io("k", i64, 1)},
			[]onnxtest.Value{io("v", i64, 3), io("y", i64, 3)}, nil,
			node("TopK", names("x", "k"), names("v", "y"), number("axis", 0)))
		differs(ctx, m, feed(in("x", tensor.Of[int64](0, 0, 0)), in("k", tensor.Of[int64](3))))
	})

	It("is still true: Tile by an input gives what lies in memory", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("x", f32, 2, 3, 4, 5), io("n", i64, 4)},
			[]onnxtest.Value{io("y", f32, 14, 18, 16, 10)}, nil,
			node("Tile", names("x", "n"), names("y")))
		differs(ctx, m, feed(in("x", count(2, 3, 4, 5)), in("n", tensor.Of[int64](7, 6, 4, 2))))
	})

	It("is still true: NonMaxSuppression drops a box at the threshold", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("b", f32, 1, 2, 4), io("s", f32, 1, 1, 2)},
			[]onnxtest.Value{io("y", i64, nil, 3)},
			[]onnxtest.Tensor{{Name: "n", Type: i64, Dims: []int64{1}, Raw: onnxtest.Int64s(3)},
				{Name: "t", Type: f32, Dims: []int64{1}, Raw: onnxtest.Float32s(0.5)}},
			node("NonMaxSuppression", names("b", "s", "n", "t"), names("y")))
		// The second box is half of the first: their intersection over union is the threshold.
		differs(ctx, m, feed(in("b", shaped[float32](tensor.Shape{1, 2, 4}, 0, 0, 1, 1, 0, 0, 1, 0.5)),
			in("s", shaped[float32](tensor.Shape{1, 1, 2}, 0.9, 0.8))))
	})
})

// openvinoVersion is the version that runs.
func openvinoVersion() string {
	GinkgoHelper()
	result, err := openvino.Run(GinkgoT().Context(), unary("Relu", f32, 1),
		x(tensor.Of[float32](1)))
	Expect(err).NotTo(HaveOccurred())
	return result.Provenance.Version
}
