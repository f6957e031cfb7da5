package ort_test

import (
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// foldable is y = Reshape(Relu(x) · (2 + 3), Shape(Relu(x))) + Exp(1), and a loop of nothing.
func foldable(dims ...any) *loaders.Model {
	return loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", In: []string{"x"}, Out: []string{"r"}},
			{Op: "Add", In: []string{"two", "three"}, Out: []string{"five"}},
			{Op: "Mul", In: []string{"r", "five"}, Out: []string{"p"}},
			{Op: "Shape", In: []string{"r"}, Out: []string{"s"}},
			{Op: "Identity", In: []string{"s"}, Out: []string{"t"}},
			{Op: "Reshape", In: []string{"p", "t"}, Out: []string{"q"}},
			{Op: "Exp", In: []string{"one"}, Out: []string{"e"}},
			{Op: "Add", In: []string{"q", "e"}, Out: []string{"y"}},
			{Op: "Neg", In: []string{"two"}, Out: []string{"z"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "one", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)},
			{Name: "two", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(2)},
			{Name: "three", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(3)}},
		Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims},
			{Name: "z", Elem: 1, Dims: []any{1}}},
	}}.Bytes())
}

func ops(m *loaders.Model) string {
	GinkgoHelper()
	nodes, err := m.Nodes()
	Expect(err).NotTo(HaveOccurred())
	var list []string
	for _, n := range nodes {
		list = append(list, n.Op)
	}
	return strings.Join(list, " ")
}

var _ = Describe("InferShapes", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("declares what ONNX Runtime infers, and changes nothing else", func(ctx SpecContext) {
		model := foldable("batch", 3)
		inferred, err := edit.InferShapes(ctx, model, ort.EditEngine())
		Expect(err).NotTo(HaveOccurred())
		Expect(inferred.Declared("r", "q", "five")).To(And(
			HaveKeyWithValue("r", HaveField("String()", "r tensor(float)[batch,3]")),
			HaveKeyWithValue("five", HaveField("String()", "five tensor(float)[1]"))))
		Expect(ops(inferred)).To(Equal(ops(model)))
		again, err := edit.InferShapes(ctx, inferred, ort.EditEngine())
		Expect(err).NotTo(HaveOccurred())
		want, err := inferred.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Bytes()).To(Equal(want))
	})

	It("says why a model does not load", func(ctx SpecContext) {
		strange := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Strange", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{1}}}}}
		_, err := edit.InferShapes(ctx, loaders.ONNXBytes("strange.onnx", strange.Bytes()),
			ort.EditEngine())
		Expect(err).To(MatchError(ContainSubstring("strange.onnx: infer shapes:")))
	})
})

var _ = Describe("ToFloat16", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("keeps in float32 what ONNX Runtime's CPU rejects in float16",
		func(ctx SpecContext, n onnxtest.Node, kept int) {
			n.Name, n.Out = "node", []string{"s"}
			model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{n, {Op: "Exp", Name: "exp", In: []string{"s"}, Out: []string{"y"}}},
				Initializers: []onnxtest.Tensor{
					{Name: "at", Type: 7, Dims: []int64{1, 1}, Raw: make([]byte, 8)}},
				Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, 2}},
					{Name: "row", Elem: 1, Dims: []any{1, 2}}, {Name: "cell", Elem: 1, Dims: []any{1, 1}},
					{Name: "image", Elem: 1, Dims: []any{1, 1, 2, 2}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
			}}.Bytes())
			converted, report, err := edit.ToFloat16(model, edit.Float16{})
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Kept).To(HaveLen(kept), report.String())
			inputs := fixtures.Random(model, fixtures.Seed(1))
			want, err := ort.Run(ctx, model, inputs)
			Expect(err).NotTo(HaveOccurred())
			got, err := ort.Run(ctx, converted, inputs)
			Expect(err).NotTo(HaveOccurred())
			actual, expected := got.Outputs()[0].At(0).Tensor, want.Outputs()[0].At(0).Tensor
			for i := range expected.Len() {
				Expect(actual.Float64At(i)).To(BeNumerically("~", expected.Float64At(i), 0.01))
			}
		},
		Entry("ScatterElements, add", scatter("ScatterElements", "cell", "add"), 1),
		Entry("ScatterElements, max", scatter("ScatterElements", "cell", "max"), 1),
		Entry("ScatterElements, none", scatter("ScatterElements", "cell", "none"), 0),
		Entry("ScatterND, add", scatter("ScatterND", "row", "add"), 1),
		Entry("ScatterND, mul", scatter("ScatterND", "row", "mul"), 1),
		Entry("ScatterND, none", scatter("ScatterND", "row", "none"), 0),
		Entry("an operator without a kernel of its own",
			onnxtest.Node{Op: "MeanVarianceNormalization", In: []string{"image"}}, 1),
	)
})

// scatter writes updates into x at 0.
func scatter(op, updates, reduction string) onnxtest.Node {
	return onnxtest.Node{Op: op, In: []string{"x", "at", updates}, Attrs: []onnxtest.Attr{
		{Name: "reduction", Text: reduction}}}
}

var _ = Describe("FoldConstants", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("computes what depends on weights and known shapes, and gives the same bits",
		func(ctx SpecContext) {
			model := foldable(4, 3)
			folded, err := edit.FoldConstants(ctx, model, edit.Folding{}, ort.EditEngine())
			Expect(err).NotTo(HaveOccurred())
			Expect(ops(folded)).To(Equal("Relu Mul Reshape Add Neg")) // z is an output
			inputs := fixtures.Random(model, fixtures.Seed(1))
			want, err := ort.Run(ctx, model, inputs, ort.OptimizationLevel(ort.OptimizeNone))
			Expect(err).NotTo(HaveOccurred())
			got, err := ort.Run(ctx, folded, inputs, ort.OptimizationLevel(ort.OptimizeNone))
			Expect(err).NotTo(HaveOccurred())
			Expect(got.Outputs()).To(Equal(want.Outputs()))
		})

	It("leaves alone what is dynamic, large, or not asked for", func(ctx SpecContext) {
		for _, c := range []struct {
			model *loaders.Model
			how   edit.Folding
			ops   string
		}{
			{foldable("batch", 3), edit.Folding{}, "Relu Mul Shape Identity Reshape Add Neg"},
			{foldable(4, 3), edit.Folding{KeepShapes: true}, "Relu Mul Shape Identity Reshape Add Neg"},
			{foldable(4, 3), edit.Folding{KeepShapes: true, Largest: new(int64(1))},
				"Relu Add Mul Shape Identity Reshape Exp Add Neg"},
			{foldable(4, 3), edit.Folding{KeepShapes: true, Largest: new(int64)},
				"Relu Add Mul Shape Identity Reshape Exp Add Neg"},
			{foldable(4, 3), edit.Folding{Largest: new(int64(4))},
				"Relu Mul Shape Identity Reshape Add Neg"},
		} {
			folded, err := edit.FoldConstants(ctx, c.model, c.how, ort.EditEngine())
			Expect(err).NotTo(HaveOccurred())
			Expect(ops(folded)).To(Equal(c.ops), "%+v", c.how)
		}
	})

	It("shares the last of two weights with the same name, which ONNX Runtime uses", func(
		ctx SpecContext) {
		scalar := func(name string, v float32) onnxtest.Tensor {
			return onnxtest.Tensor{Name: name, Type: 1, Raw: onnxtest.Float32s(v)}
		}
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Mul", In: []string{"x", "w"}, Out: []string{"y"}},
				{Op: "Add", In: []string{"one", "one"}, Out: []string{"two"}},
				{Op: "Add", In: []string{"x", "two"}, Out: []string{"z"}}},
			Initializers: []onnxtest.Tensor{scalar("w", 2), scalar("one", 1), scalar("w", 3)},
			Inputs:       []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{}}},
			Outputs:      []onnxtest.Value{{Name: "y", Elem: 1}, {Name: "z", Elem: 1}},
		}}.Bytes())
		folded, err := edit.FoldConstants(ctx, model, edit.Folding{}, ort.EditEngine())
		Expect(err).NotTo(HaveOccurred())
		for _, m := range []*loaders.Model{model, folded} {
			run, err := ort.Run(ctx, m, fixtures.Random(m, fixtures.ValRange(1, 1)))
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Outputs()[0].GomegaString()).To(Equal("y: float32[] [3]\nz: float32[] [3]"))
		}
	})

	It("shares what was shared, and weights that turn out to be equal", func(ctx SpecContext) {
		body := onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Abs", In: []string{"c"}, Out: []string{"b"}}},
			Outputs: []onnxtest.Value{{Name: "b", Elem: 1}}}
		square := []any{4, 4}
		var weights []float32
		for i := range 16 {
			weights = append(weights, float32(i)/16)
		}
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{ // as an exporter writes a layer that is called several times
				{Op: "Identity", In: []string{"w"}, Out: []string{"a"}},
				{Op: "Identity", In: []string{"w"}, Out: []string{"c"}},
				{Op: "Neg", In: []string{"w"}, Out: []string{"n"}},
				{Op: "Sub", In: []string{"zero", "w"}, Out: []string{"m"}},
				{Op: "Split", In: []string{"w"}, Out: []string{"top", "low"},
					Attrs: []onnxtest.Attr{{Name: "num_outputs", Int: new(int64(2))}}},
				{Op: "MatMul", In: []string{"x", "a"}, Out: []string{"p"}},
				{Op: "MatMul", In: []string{"p", "n"}, Out: []string{"q"}},
				{Op: "MatMul", In: []string{"q", "m"}, Out: []string{"r"}},
				{Op: "MatMul", In: []string{"low", "r"}, Out: []string{"y"}},
				{Op: "If", In: []string{"yes"}, Out: []string{"z"}, Attrs: []onnxtest.Attr{
					{Name: "then_branch", Graph: &body}, {Name: "else_branch", Graph: &body}}}},
			Initializers: []onnxtest.Tensor{
				{Name: "w", Type: 1, Dims: []int64{4, 4}, Raw: onnxtest.Float32s(weights...)},
				{Name: "zero", Type: 1, Raw: make([]byte, 4)}},
			Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: square},
				{Name: "yes", Elem: 9, Dims: []any{}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}, {Name: "z", Elem: 1},
				{Name: "top", Elem: 1}},
		}}.Bytes())
		folded, err := edit.FoldConstants(ctx, model, edit.Folding{}, ort.EditEngine())
		Expect(err).NotTo(HaveOccurred())
		Expect(ops(folded)).To(Equal("Split MatMul MatMul MatMul MatMul If"))
		kept, err := folded.Initializers()
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, k := range kept {
			names = append(names, k.Name)
		}
		// m differs from n in the sign of 0, and the body reads c by its name.
		Expect(names).To(ConsistOf("w", "c", "n", "m"))
		want, err := ort.Run(ctx, model, fixtures.Random(model), ort.OptimizationLevel(ort.OptimizeNone))
		Expect(err).NotTo(HaveOccurred())
		got, err := ort.Run(ctx, folded, fixtures.Random(folded), ort.OptimizationLevel(ort.OptimizeNone))
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Outputs()[0].Names()).To(Equal(want.Outputs()[0].Names()))
		for name, t := range want.Outputs()[0].All() {
			other, _ := got.Outputs()[0].Get(name)
			for i := range t.Len() {
				Expect(other.Float64At(i)).To(BeNumerically("~", t.Float64At(i), 1e-5))
			}
		}
	})

	It("does not make a small model large", func(ctx SpecContext) {
		filled := onnxtest.Tensor{Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(3)}
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "ConstantOfShape", In: []string{"sizes"}, Out: []string{"threes"},
					Attrs: []onnxtest.Attr{{Name: "value", Tensor: &filled}}},
				{Op: "Neg", In: []string{"one"}, Out: []string{"minus"}},
				{Op: "Mul", In: []string{"x", "minus"}, Out: []string{"m"}},
				{Op: "Add", In: []string{"m", "threes"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{
				{Name: "sizes", Type: 7, Dims: []int64{2}, Raw: []byte{0, 8, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 0,
					0, 0}}, // 2048 by 2305, 18 MiB
				{Name: "one", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
		}}.Bytes())
		for _, c := range []struct {
			how edit.Folding
			ops string
		}{
			{edit.Folding{}, "ConstantOfShape Mul Add"},
			{edit.Folding{Largest: new(int64(20 << 20))}, "Mul Add"},
		} {
			folded, err := edit.FoldConstants(ctx, model, c.how, ort.EditEngine())
			Expect(err).NotTo(HaveOccurred())
			Expect(ops(folded)).To(Equal(c.ops))
		}
	})

	It("writes what ONNX's checker takes", func(ctx SpecContext) {
		python := pythontest.With(GinkgoT(), "onnx")
		folded, err := edit.FoldConstants(ctx, foldable("batch", 3), edit.Folding{}, ort.EditEngine())
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), "folded.onnx")
		Expect(folded.Save(path)).To(Succeed())
		out, err := exec.Command(python, "-c", "import onnx, sys; "+
			"onnx.checker.check_model(sys.argv[1], full_check=True)", path).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
	})
})
