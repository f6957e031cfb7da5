package relations_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
)

// leaking is y = Relu(CumSum(Mul(x, x))) along the batch: each row includes all earlier rows.
func leaking() *loaders.Model {
	batch := []any{"batch", 4}
	return loaders.ONNXBytes("leaking.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: batch}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: batch}},
		Initializers: []onnxtest.Tensor{{Name: "axis", Type: 7, Dims: []int64{},
			Raw: make([]byte, 8)}},
		Nodes: []onnxtest.Node{
			{Op: "Mul", Name: "square", In: []string{"x", "x"}, Out: []string{"squared"}},
			{Op: "CumSum", Name: "adds up rows", In: []string{"squared", "axis"},
				Out: []string{"sums"}},
			{Op: "Relu", Name: "last", In: []string{"sums"}, Out: []string{"y"}},
		}}}.Bytes())
}

// example is a model of the examples with inputs.
type example struct {
	model  *loaders.Model
	inputs func(*loaders.Model) fixtures.Inputs
}

var examples = map[string]example{
	"digits": {loaders.ONNX("../example_test/digits/testdata/digits.onnx"),
		func(m *loaders.Model) fixtures.Inputs {
			return fixtures.Random(m, fixtures.Shape("image", 4, 1, 8, 8))
		}},
	"digits-int8": {loaders.ONNX("../example_test/digits-int8/testdata/digits_int8.onnx"),
		func(m *loaders.Model) fixtures.Inputs {
			return fixtures.Random(m, fixtures.Shape("image", 4, 1, 8, 8))
		}},
	"encoder": {loaders.ONNX("../example_test/dynamic/testdata/encoder.onnx"),
		func(m *loaders.Model) fixtures.Inputs {
			return fixtures.Random(m, fixtures.Shape("tokens", 2, 5), fixtures.ValRange(0, 63))
		}},
}

var engines = map[string]struct {
	engine  backends.Engine
	require func(backends.T)
}{
	"ONNX Runtime": {ort.Engine(), func(t backends.T) { ort.Require(t) }},
	"OpenVINO":     {openvino.Engine(), func(t backends.T) { openvino.Require(t) }},
	"tract":        {tract.Engine(), func(t backends.T) { tract.Require(t) }},
}

// within allows the rounding of one kernel for each size of the batch.
var within = relations.Rule{
	Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)},
}

var _ = Describe("the engines on the example models", func() {
	for name, e := range engines {
		for of, x := range examples {
			It(name+" on "+of, func(ctx SpecContext) {
				e.require(GinkgoT())
				s := backends.Subject{Engine: e.engine, Model: x.model, Inputs: x.inputs(x.model)}
				exact, err := relations.Check(ctx, s, relations.Options{}, relations.Repeat(2),
					relations.Rows())
				Expect(err).NotTo(HaveOccurred())
				Expect(exact.Holds()).To(BeTrue(), exact.Text())

				// Kernels may depend on the batch size; docs/relations.md lists where they do.
				list := []relations.Relation{relations.Batch(), relations.Order()}
				if name != "tract" {
					list = append(list, relations.Threads())
				}
				if name == "ONNX Runtime" && of != "digits-int8" { // its levels quantise differently
					list = append(list, relations.Levels(), relations.Marking())
				}
				rule := relations.Rule{Noise: true}
				if of == "digits-int8" { // its noise comes only from the softmax: a few last bits
					rule = within
				}
				close, err := relations.Check(ctx, s, relations.Options{Sizes: []int{1, 2, 7}, Rule: rule},
					list...)
				Expect(err).NotTo(HaveOccurred())
				Expect(close.Holds()).To(BeTrue(), close.Text())
			})
		}
	}
})

var _ = Describe("a breach", func() {
	check := func(ctx context.Context, o relations.Options) *relations.Report {
		GinkgoHelper()
		ort.Require(GinkgoT())
		m := leaking()
		s := backends.Subject{Engine: ort.Engine(), Model: m,
			Inputs: fixtures.Random(m, fixtures.Shape("x", 2, 4))}
		report, err := relations.Check(ctx, s, o, relations.Batch(), relations.Rows(),
			relations.Repeat(2))
		Expect(err).NotTo(HaveOccurred())
		return report
	}

	It("is located at the first node that mixes rows", func(ctx SpecContext) {
		report := check(ctx, relations.Options{Locate: true, Rule: within})
		Expect(report.Primary().Relation).To(Equal("rows"))
		Expect(*report.Primary().Breach.Row).To(Equal(1))
		Expect(report.Primary().Breach.Batch).To(Equal(2))
		Expect(report.Primary().Breach.Blame).To(Equal(
			"the values of the other rows change its result"))
		for _, r := range report.Results[:2] {
			Expect(r.Breach.Inside).To(And(ContainSubstring("adds up rows"),
				Not(ContainSubstring("square"))), r.Relation)
		}
		Expect(report.Results[2].Verdict).To(Equal(compare.Pass))
	})

	It("is located behind a product, of whose rows a part knows nothing", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNXBytes("product.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", 2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", 2}}},
			Initializers: []onnxtest.Tensor{
				{Name: "w", Type: 1, Dims: []int64{2, 2}, Raw: onnxtest.Float32s(1, 2, 3, 4)},
				{Name: "axes", Type: 7, Dims: []int64{1}, Raw: make([]byte, 8)}},
			Nodes: []onnxtest.Node{
				{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"p"}},
				{Op: "ReduceSum", Name: "adds up rows", In: []string{"p", "axes"}, Out: []string{"sum"}},
				{Op: "Sub", In: []string{"p", "sum"}, Out: []string{"y"}}}}}.Bytes())
		report, err := relations.Check(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)}, relations.Options{Locate: true, Rule: relations.Rule{
			Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Elementwise)}}}, relations.Rows())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Results[0].Breach.Inside).To(ContainSubstring(`"adds up rows"`))
	})

	It("is located if a row among copies of itself is right", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		batch := []any{"batch", 4}
		model := loaders.ONNXBytes("first.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: batch}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: batch}},
			Initializers: []onnxtest.Tensor{
				{Name: "zero", Type: 7, Dims: []int64{1}, Raw: make([]byte, 8)}},
			Nodes: []onnxtest.Node{
				{Op: "Gather", Name: "takes the first row", In: []string{"x", "zero"},
					Out: []string{"first"}},
				{Op: "Sub", Name: "subtracts it", In: []string{"x", "first"},
					Out: []string{"y"}}}}}.Bytes())
		report, err := relations.Check(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)}, relations.Options{Locate: true}, relations.Rows())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Results[0].Breach.Inside).To(ContainSubstring("inside the model: "))
	})

	It("of levels is located at the pass of the optimiser that fuses", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNXBytes("int4.onnx", onnxtest.FewBits(true).Bytes())
		report, err := relations.Check(ctx, backends.Subject{Model: model, Inputs: fixtures.Random(model),
			Engine: ort.Engine(ort.Config("session.qdq_matmulnbits_accuracy_level", "4"))},
			relations.Options{Locate: true}, relations.Levels())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Results[0].Breach.Inside).To(ContainSubstring("QDQSelectorActionTransformer"))
	})

	It("is judged within a tolerance and within noise", func(ctx SpecContext) {
		wide := check(ctx, relations.Options{Rule: relations.Rule{
			Checks: []compare.Check{compare.Within(100, 0, compare.Max)}}, Sizes: []int{1, 2}})
		Expect(wide.Results[2].Verdict).To(Equal(compare.Pass))
		Expect(wide.Results[0].Verdict).To(Equal(compare.Fail), "huge values still leak")
		Expect(wide.Results[0].Breach.How).To(ContainSubstring("huge values"))
		noise := check(ctx, relations.Options{Rule: relations.Rule{Noise: true}})
		Expect(noise.Primary().Relation).To(Equal("rows"))
		Expect(noise.Text()).To(ContainSubstring("within noise"))
	})

	It("takes a model of which no node rounds for exact, with noise", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		batch := []any{"batch", 4}
		model := loaders.ONNXBytes("greatest.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: batch}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: batch}},
			Initializers: []onnxtest.Tensor{{Name: "axes", Type: 7, Dims: []int64{1},
				Raw: make([]byte, 8)}},
			Nodes: []onnxtest.Node{{Op: "ReduceMax", In: []string{"x", "axes"}, Out: []string{"m"}},
				{Op: "Max", In: []string{"x", "m"}, Out: []string{"y"}}}}}.Bytes())
		found, err := relations.Check(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model, fixtures.Shape("x", 4, 4))},
			relations.Options{Rule: relations.Rule{Noise: true}}, relations.Rows())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Primary()).NotTo(BeNil())
		Expect(found.Text()).To(ContainSubstring("it differs although no node of the model rounds"))
	})
})
