package openvino_test

import (
	"errors"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// floats is an initializer.
func floats(name string, values ...float32) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: f32, Dims: []int64{int64(len(values))},
		Raw: onnxtest.Float32s(values...)}
}

var _ = Describe("A backend", func() {
	needed()

	relu := unary("Relu", f32, "n")

	It("says in each run what made it", func(ctx SpecContext) {
		result, err := openvino.Run(ctx, relu, x(tensor.Of[float32](-1, 1)), openvino.Threads(2),
			openvino.StaticShapes(), openvino.Property("PERF_COUNT", "YES"))
		Expect(err).NotTo(HaveOccurred())
		sum, err := relu.SHA256()
		Expect(err).NotTo(HaveOccurred())
		p := result.Provenance
		Expect(p.Version).To(MatchRegexp(`^20\d\d\.\d+\.\d+$`))
		Expect(p.InputsSHA256).To(HaveLen(64))
		p.Version, p.InputsSHA256 = "", ""
		Expect(p).To(Equal(backends.Provenance{Backend: "openvino", Provider: "CPU",
			Model: "model.onnx", ModelSHA256: sum, Inputs: "given in Go",
			Options: map[string]string{"precision": "f32", "execution_mode": "ACCURACY",
				"threads": "2", "static_shapes": "true", "PERF_COUNT": "YES",
				"kv_cache_precision": "f32", "dynamic_quantization_group_size": "0"},
			Computed: backends.Float32}))
		Expect(result.Subject().Engine.GoString()).To(Equal(`openvino.Engine(openvino.Property(` +
			`"PERF_COUNT", "YES"), openvino.StaticShapes(), openvino.Threads(2))`))
		Expect(result.Subject().Model).To(BeIdenticalTo(relu))
	})

	It("says what OpenVINO chose where the choice is its own", func(ctx SpecContext) {
		result, err := openvino.Run(ctx, relu, x(tensor.Of[float32](1)),
			openvino.Precision(openvino.Own), openvino.ExecutionMode(openvino.Performance))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Provenance.Options).To(And(
			HaveKeyWithValue("precision", BeElementOf("f32", "bf16", "f16")),
			HaveKeyWithValue("execution_mode", "PERFORMANCE"),
			HaveKeyWithValue("kv_cache_precision", "u8"),
			HaveKeyWithValue("dynamic_quantization_group_size", Not(Equal("0")))))
	})

	It("computes in the requested precision or reports another", func(ctx SpecContext) {
		// 1 + 2⁻¹⁰ has more digits than bfloat16, and the product more than float16.
		m := model([]onnxtest.Value{io("x", f32, 1, 2)}, []onnxtest.Value{io("y", f32, 1, 1)},
			[]onnxtest.Tensor{{Name: "w", Type: f32, Dims: []int64{2, 1},
				Raw: onnxtest.Float32s(1+0x1p-10, 0)}},
			node("MatMul", names("x", "w"), names("y")))
		inputs := x(shaped[float32](tensor.Shape{1, 2}, 1+0x1p-10, 0))
		exact := float64(float32((1 + 0x1p-10) * (1 + 0x1p-10)))
		for _, precision := range []openvino.Type{openvino.Float32, openvino.BFloat16,
			openvino.Float16} {
			result, err := openvino.Run(ctx, m, inputs, openvino.Precision(precision))
			if precision != openvino.Float32 && err != nil {
				var explained *backends.Refusal
				Expect(errors.As(err, &explained)).To(BeTrue())
				Expect(explained.Reason).To(Equal(backends.NoPrecision))
				Expect(err).To(MatchError(MatchRegexp(`CPU computes in \w+ instead of (bf16|f16); ` +
					`to accept that, use openvino\.Precision\(openvino\.Own\)$`)))
				continue
			}
			Expect(err).NotTo(HaveOccurred())
			y, _ := result.Outputs()[0].Get("y")
			if precision == openvino.Float32 {
				Expect(y.Float64At(0)).To(Equal(exact))
			} else {
				Expect(y.Float64At(0)).NotTo(Equal(exact), "%v", precision)
			}
		}
	})

	It("runs shapes that the model leaves open, one after the other", func(ctx SpecContext) {
		b, err := openvino.Engine().Open(ctx, unary("Relu", f32, "n", 2), fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		for _, rows := range []int{1, 3, 0, 2} {
			sent := shaped(tensor.Shape{rows, 2}, make([]float32, rows*2)...)
			result, err := b.Run(ctx, x(sent))
			Expect(err).NotTo(HaveOccurred())
			y, _ := result.Outputs()[0].Get("y")
			Expect(y.Shape()).To(Equal(sent.Shape()))
		}
	})

	DescribeTable("compiles for the inputs where their rank is not declared, or on demand",
		func(ctx SpecContext, m *loaders.Model, options ...openvino.Option) {
			engine := openvino.Engine(options...)
			first := shaped[float32](tensor.Shape{1, 2}, -1, 2)
			b, err := engine.Open(ctx, m, x(first))
			Expect(err).NotTo(HaveOccurred())
			defer b.Close()
			for range 2 { // more shapes than are kept, and again
				for n := range 9 {
					sent := make([]float32, n)
					for i := range sent {
						sent[i] = float32(i) - 3
					}
					result, err := b.Run(ctx, x(shaped(tensor.Shape{n}, sent...)))
					Expect(err).NotTo(HaveOccurred())
					y, _ := result.Outputs()[0].Get("y")
					Expect(y.Shape()).To(Equal(tensor.Shape{n}))
					if n > 0 {
						Expect(y.Float64At(n - 1)).To(Equal(math.Max(0, float64(n-1)-3)))
					}
				}
			}
			_, err = engine.Open(ctx, m, fixtures.Inputs{})
			Expect(err).To(MatchError(backends.ErrNoInputs))
		},
		Entry("no rank", model([]onnxtest.Value{unranked("x", f32)},
			[]onnxtest.Value{unranked("y", f32)}, nil, node("Relu", names("x"), names("y")))),
		Entry("no rank, of static shapes", model([]onnxtest.Value{unranked("x", f32)},
			[]onnxtest.Value{unranked("y", f32)}, nil, node("Relu", names("x"), names("y"))),
			openvino.StaticShapes()),
	)

	It("says of a 0-d input without a declared rank what to do", func(ctx SpecContext) {
		m := model([]onnxtest.Value{unranked("x", f32)}, []onnxtest.Value{unranked("y", f32)}, nil,
			node("Relu", names("x"), names("y")))
		_, err := openvino.Run(ctx, m, x(tensor.Scalar[float32](1)))
		Expect(err).To(MatchError(ContainSubstring(`input "x" is 0-d, but the model does not declare ` +
			"its rank, and OpenVINO's C API cannot set it; declare the shape [] in the model")))
	})

	It("runs 0-d tensors, also of static shapes", func(ctx SpecContext) {
		for _, o := range [][]openvino.Option{nil, {openvino.StaticShapes()}} {
			Expect(values(run(ctx, unary("Neg", f32), x(tensor.Scalar[float32](2)), o...))).To(
				ConsistOf("y: float32[] [-2]"))
		}
	})

	It("runs a model without inputs", func(ctx SpecContext) {
		m := model(nil, []onnxtest.Value{io("y", f32, 2)}, []onnxtest.Tensor{floats("w", 1, 2)},
			node("Neg", names("w"), names("y")))
		Expect(values(run(ctx, m, feed()))).To(ConsistOf("y: float32[2] [-1 -2]"))
	})

	It("takes inputs that nothing reads", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("x", f32, 1), io("unused", f32, 2)},
			[]onnxtest.Value{io("y", f32, 1)}, nil, node("Neg", names("x"), names("y")))
		inputs := feed(in("x", tensor.Of[float32](1)), in("unused", tensor.Of[float32](1, 2)))
		Expect(values(run(ctx, m, inputs))).To(ConsistOf("y: float32[1] [-1]"))
	})

	It("feeds inputs that lose their names in OpenVINO", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("a", f32, 1), io("b", f32, 1), io("c", f32, 1)},
			[]onnxtest.Value{io("x", f32, 1), io("y", f32, 1), io("z", f32, 1)}, nil,
			node("Dropout", names("a"), names("x")), node("Neg", names("b"), names("y")),
			node("Dropout", names("c"), names("z")))
		inputs := feed(in("c", tensor.Of[float32](3)), in("b", tensor.Of[float32](2)),
			in("a", tensor.Of[float32](1)))
		for _, o := range [][]openvino.Option{nil, {openvino.StaticShapes()}} {
			Expect(values(run(ctx, m, inputs, o...))).To(Equal([]string{
				"x: float32[1] [1]", "y: float32[1] [-2]", "z: float32[1] [3]"}))
		}
	})

	It("gives outputs that are inputs, weights or one another", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("x", f32, 1)}, []onnxtest.Value{io("x", f32, 1),
			io("w", f32, 1), io("y", f32, 1), io("z", f32, 1)}, []onnxtest.Tensor{floats("w", 7)},
			node("Neg", names("x"), names("y")), node("Identity", names("y"), names("z")))
		Expect(values(run(ctx, m, x(tensor.Of[float32](1))))).To(Equal([]string{
			"x: float32[1] [1]", "w: float32[1] [7]", "y: float32[1] [-1]", "z: float32[1] [-1]"}))
		// OpenVINO gives both outputs of this model the name z.
		m = model([]onnxtest.Value{io("x", f32, 1)}, []onnxtest.Value{io("y", f32, 1),
			io("z", f32, 1), io("v", f32, 1)}, nil, node("Neg", names("x"), names("y")),
			node("Dropout", names("y"), names("z", "")), node("Abs", names("z"), names("v")))
		Expect(values(run(ctx, m, x(tensor.Of[float32](1))))).To(Equal([]string{
			"y: float32[1] [-1]", "z: float32[1] [-1]", "v: float32[1] [1]"}))
	})

	It("leaves an input with a default at its default, and refuses another value",
		func(ctx SpecContext) {
			m := model([]onnxtest.Value{io("x", f32, 1), io("bias", f32, 1)},
				[]onnxtest.Value{io("y", f32, 1)}, []onnxtest.Tensor{floats("bias", 10)},
				node("Add", names("x", "bias"), names("y")))
			Expect(values(run(ctx, m, x(tensor.Of[float32](1))))).To(ConsistOf("y: float32[1] [11]"))
			_, err := openvino.Run(ctx, m,
				feed(in("x", tensor.Of[float32](1)), in("bias", tensor.Of[float32](1))))
			Expect(err).To(MatchError(ContainSubstring(`OpenVINO turns the default value of input ` +
				`"bias" into a constant, so no value can be passed for it`)))
		})

	DescribeTable("refuses inputs that do not fit, before it runs",
		func(ctx SpecContext, inputs []tensor.Entry, expected string) {
			m := model([]onnxtest.Value{io("a", f32, "n", 2), io("b", f32, 2)},
				[]onnxtest.Value{io("y", f32, "n", 2)}, nil, node("Add", names("a", "b"), names("y")))
			_, err := openvino.Run(ctx, m, feed(inputs...))
			Expect(err).To(MatchError(HaveSuffix("model.onnx: " + expected)))
		},
		Entry("one missing", []tensor.Entry{in("b", tensor.Of[float32](1, 2))},
			"inputs are missing: a tensor(float)[n,2]"),
		Entry("one of another name", []tensor.Entry{in("b", tensor.Of[float32](1, 2)),
			in("c", tensor.Of[float32](1))},
			"inputs are missing: a tensor(float)[n,2]; got instead: c"),
		Entry("one too many", []tensor.Entry{in("a", shaped[float32](tensor.Shape{1, 2}, 1, 2)),
			in("b", tensor.Of[float32](1, 2)), in("c", tensor.Of[float32](1))},
			"the model has no inputs c; its inputs are a tensor(float)[n,2], b tensor(float)[2]"),
		Entry("the element type", []tensor.Entry{in("a", shaped[float64](tensor.Shape{1, 2}, 1, 2)),
			in("b", tensor.Of[float32](1, 2))},
			`input "a": expected a tensor(float)[n,2], got float64[1,2]: the element type differs; `+
				"to convert the data, use --cast-inputs, or Cast(model) in a spec"),
		Entry("the rank", []tensor.Entry{in("a", tensor.Of[float32](1, 2)),
			in("b", tensor.Of[float32](1, 2))},
			`input "a": expected a tensor(float)[n,2], got float32[2]: the rank differs`),
		Entry("a dimension", []tensor.Entry{in("a", shaped[float32](tensor.Shape{1, 3}, 1, 2, 3)),
			in("b", tensor.Of[float32](1, 2))},
			`input "a": expected a tensor(float)[n,2], got float32[1,3]: dimension 1 differs`),
	)
})
