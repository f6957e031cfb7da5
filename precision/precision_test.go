package precision_test

import (
	"context"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

func digits(iterations int) (*loaders.Model, fixtures.Inputs) {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	return model, fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8),
		fixtures.Iterations(iterations))
}

func run(ctx context.Context, engine backends.Engine, model *loaders.Model,
	inputs fixtures.Inputs) *backends.Run {
	GinkgoHelper()
	run, err := backends.RunIn(ctx, engine, model, inputs)
	Expect(err).NotTo(HaveOccurred())
	return run
}

// rounded is what a format does to a model of one node.
func rounded(ctx context.Context, format precision.Format, values []float32, opset int64) (
	before, after []float64) {
	GinkgoHelper()
	const float = 1
	dims := []any{1, len(values)}
	diagonal := make([]float32, len(values)*len(values))
	for i := range values {
		diagonal[i*len(values)+i] = 1
	}
	nodes := []onnxtest.Node{
		{Op: "Neg", In: []string{"x"}, Out: []string{"negative"}},
		{Op: "MatMul", In: []string{"negative", "w"}, Out: []string{"y"}},
	}
	if format == precision.FP16 || format == precision.BF16 { // where ∞·0 would follow an overflow
		nodes = []onnxtest.Node{{Op: "Neg", In: []string{"x"}, Out: []string{"y"}}}
	}
	opsets := map[string]int64{"": opset}
	model := loaders.ONNXBytes("product.onnx", onnxtest.Model{Opsets: opsets, Graph: onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: dims}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: float,
			Dims: []int64{int64(len(values)), int64(len(values))}, Raw: onnxtest.Float32s(diagonal...)}},
		Nodes: nodes,
	}}.Bytes())
	x, err := tensor.New(tensor.Shape{1, len(values)}, values)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
	Expect(err).NotTo(HaveOccurred())
	base := run(ctx, ort.Engine(), model, fixtures.Of(set))
	lower, err := precision.Of(ctx, base.Subject(), format)
	Expect(err).NotTo(HaveOccurred())
	y, _ := base.Outputs()[0].Get("y")
	z, _ := lower.Runs[0][0].Get("y")
	return y.Float64s(), z.Float64s()
}

var _ = Describe("Rounding a model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("gives the numbers of the format, to the nearest",
		func(ctx SpecContext, format precision.Format, opset int64, values, want []float32) {
			_, after := rounded(ctx, format, values, opset)
			var expected []any
			for _, v := range want {
				expected = append(expected, BeNumerically("==", -float64(v)))
			}
			Expect(after).To(HaveExactElements(expected...))
		},
		Entry("float16", precision.FP16, int64(13),
			[]float32{1, 1 + 1.0/1024, 1 + 1.0/4096, 65504, 65519, 70000, 1e-7, 3e-8, 1e-9},
			[]float32{1, 1 + 1.0/1024, 1, 65504, 65504, float32(math.Inf(1)), 1.1920929e-07,
				5.9604645e-08, 0}),
		Entry("bfloat16 by casts", precision.BF16, int64(13),
			[]float32{1, 1 + 1.0/128, 1 + 1.0/512, 3e38},
			[]float32{1, 1 + 1.0/128, 1, 3.0040553e38}),
		Entry("bfloat16 by arithmetic, in old models", precision.BF16, int64(9),
			[]float32{1, 1 + 1.0/128, 1 + 1.0/512, 1 + 1.0/256, 1e-20, 3e38, float32(math.Inf(1))},
			[]float32{1, 1 + 1.0/128, 1, 1, 1.00055767e-20, 3.0040553e38, float32(math.Inf(1))}),
		Entry("TF32", precision.TF32, int64(9), []float32{1, 1 + 1.0/1024, 1 + 1.0/4096, 1e20},
			[]float32{1, 1 + 1.0/1024, 1, 1.0001594e20}),
		Entry("FP8 E4M3, scaled to 448", precision.FP8, int64(9),
			[]float32{448, 440, 17, 1, 1.0 / 64, 1.0 / 512, 1.0 / 2048},
			[]float32{448, 448, 16, 1, 1.0 / 64, 1.0 / 512, 0}),
		Entry("FP8 E5M2, scaled to 57344", precision.FP8E5M2, int64(9),
			[]float32{57344, 9, 10, 1}, []float32{57344, 8, 10, 1}),
		Entry("INT8", precision.INT8, int64(9), []float32{127, 126.4, 0.6, -0.4, -127},
			[]float32{127, 126, 1, 0, -127}),
	)
})

var _ = Describe("The error of a format", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// judge holds a run to a format on the digits model.
	judge := func(ctx SpecContext, engine backends.Engine, format precision.Format,
		bars compare.Bars) compare.Report {
		GinkgoHelper()
		model, inputs := digits(10)
		j := precision.Judge{Format: format, Bars: bars}
		actual, expected := run(ctx, engine, model, inputs), run(ctx, ort.Engine(), model, inputs)
		report, err := j.Compare(actual, expected, actual.Outputs(), expected.Outputs())
		Expect(err).NotTo(HaveOccurred())
		for _, o := range report.Outputs {
			GinkgoWriter.Println(o.Name, o.Iteration, o.Results)
		}
		Expect(j.Notes).To(HaveExactElements(
			Equal("measured the error of rounding to " + string(format) +
				": ran digits.onnx 9 times in onnxruntime, with rounded values")))
		return report
	}

	It("is not measured by an engine that computes in less than float32", func(ctx SpecContext) {
		int4 := loaders.ONNXBytes("int4.onnx", onnxtest.FewBits(true).Bytes())
		low := run(ctx, ort.Engine(ort.AccuracyLevel(ort.AccuracyInt8)), int4, fixtures.Random(int4))
		plain := run(ctx, ort.Engine(), int4, fixtures.Random(int4))
		j := precision.Judge{Format: precision.FP16}
		_, err := j.Compare(low, plain, low.Outputs(), plain.Outputs())
		Expect(err).NotTo(HaveOccurred())
		_, err = j.Compare(plain, low, plain.Outputs(), low.Outputs())
		Expect(err).To(MatchError(ContainSubstring("is not a float32 reference for int4.onnx: computed " +
			"in float32 except int8 in 1 MatMulNBits (accuracy level 4)")))
		_, err = precision.Of(ctx, low.Subject(), precision.FP16)
		Expect(err).To(MatchError(ContainSubstring("is not a float32 reference for int4.onnx")))
	})

	It("explains an engine that computes in it", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		Expect(judge(ctx, tract.Engine(tract.FP16()), precision.FP16, compare.Bars{}).Verdict).
			To(Equal(compare.Pass))
	})

	It("judges a sequence of maps while a divergence is located", func(ctx SpecContext) {
		model := loaders.ONNX("../internal/cli/testdata/sklearn/forest.onnx")
		subject := backends.Subject{Model: model, Engine: ort.Engine(),
			Inputs: fixtures.Load("../internal/cli/testdata/sklearn/irises.npz")}
		j := precision.Judge{Format: precision.FP16}
		rule, _, err := j.Measure(ctx, subject, ort.Engine())
		Expect(err).NotTo(HaveOccurred())
		expected, err := sets.Stacked(run(ctx, ort.Engine(), model, subject.Inputs).Outputs()[0])
		Expect(err).NotTo(HaveOccurred())
		expected = expected.Only("output_probability")
		half, err := sets.Map(expected, func(_ string, t *tensor.Tensor) (*tensor.Tensor, error) {
			return t.Convert(tensor.Float16)
		})
		Expect(err).NotTo(HaveOccurred())
		report, err := rule([]*tensor.Set{half}, []*tensor.Set{expected})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Text())
	})

	It("belongs to a model that any engine can run", func(ctx SpecContext) {
		model, inputs := digits(2)
		base := run(ctx, ort.Engine(), model, inputs)
		for _, format := range []precision.Format{precision.TF32, precision.INT8} { // which keep inputs
			lower, err := precision.Of(ctx, base.Subject(), format)
			Expect(err).NotTo(HaveOccurred())
			rounded, err := precision.Round(ctx, base.Subject(), format)
			Expect(err).NotTo(HaveOccurred())
			plain := ort.Engine(ort.Config("session.disable_prepacking", "1")) // as in Of's runs
			Expect(run(ctx, plain, rounded, inputs).Outputs()).To(Equal(lower.Runs[0]), string(format))
		}
	})

	It("does not explain a lower precision", func(ctx SpecContext) {
		model, inputs := digits(10)
		base := run(ctx, ort.Engine(), model, inputs)
		errs := map[precision.Format]*compare.LowerPrecision{}
		for _, format := range []precision.Format{precision.TF32, precision.BF16} {
			var err error
			errs[format], err = precision.Of(ctx, base.Subject(), format)
			Expect(err).NotTo(HaveOccurred())
		}
		report, err := compare.NoWorseThan(errs[precision.BF16].Runs[1], base.Outputs(),
			errs[precision.TF32], compare.Bars{}, compare.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail), report.Text())
		report, err = compare.NoWorseThan(errs[precision.TF32].Runs[1], base.Outputs(),
			errs[precision.BF16], compare.Bars{}, compare.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Text())
	})

	It("explains float32, which is no worse than anything", func(ctx SpecContext) {
		for _, format := range precision.Formats() {
			report := judge(ctx, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), format,
				compare.Bars{})
			Expect(report.Verdict).To(Equal(compare.Pass), report.Text())
		}
	})
})

// A changed model is rounded to its own float32, so that its change does not count
// as an error of the format.
var _ = Describe("The error of a format, for a reference from elsewhere", func() {
	It("does not explain a fault in the model under test", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model, inputs := digits(3)
		expected := run(ctx, ort.Engine(), model, inputs)
		planted, err := edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
			if c.Name != "conv1.weight" {
				return nil, nil
			}
			values := c.Values.Float64s()
			doubled := make([]float32, len(values))
			for i, v := range values {
				doubled[i] = float32(1.5 * v)
			}
			return tensor.New(c.Values.Shape(), doubled)
		})
		Expect(err).NotTo(HaveOccurred())
		j := precision.Judge{Format: precision.FP16, Otherwise: ort.Engine()}
		saved := backends.NewRun(expected.Provenance, expected.Iterations()...)
		actual := run(ctx, ort.Engine(), planted, inputs)
		report, err := j.Compare(actual, saved, actual.Outputs(), saved.Outputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail), report.Text())
		actual = run(ctx, ort.Engine(), model, inputs)
		report, err = j.Compare(actual, saved, actual.Outputs(), saved.Outputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Text())
	})
})
