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
