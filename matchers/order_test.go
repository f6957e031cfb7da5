package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// shifted is y = −|relu(x) + w|, where w is the fault.
func shifted(w float32) *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{2}}
	}
	return loaders.ONNXBytes("shifted.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "first", In: []string{"x"}, Out: []string{"a"}},
			{Op: "Add", Name: "add", In: []string{"a", "w"}, Out: []string{"b"}},
			{Op: "Abs", Name: "abs", In: []string{"b"}, Out: []string{"c"}},
			{Op: "Neg", Name: "neg", In: []string{"c"}, Out: []string{"y"}},
		},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{2},
			Raw: onnxtest.Float32s(w, w)}},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")},
	}}.Bytes())
}

var _ = Describe("marked tensors", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("are compared in graph order: FailFast stops at the first one that differs, not at the output",
		func(ctx SpecContext) {
			inputs := fixtures.Random(shifted(1), fixtures.Seed(1))
			run := func(w float32, names ...string) any {
				GinkgoHelper()
				marked, err := shifted(w).Mark(names...)
				Expect(err).NotTo(HaveOccurred())
				run, err := ort.Run(ctx, marked, inputs)
				Expect(err).NotTo(HaveOccurred())
				return run
			}
			for _, names := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}} {
				var seen []string
				m := MatchOutputsWithin(1e-3, 0, Elementwise).Of(run(2, names...)).
					Under(compare.Options{FailFast: true}).
					ReportTo(func(o compare.Pair) {
						for _, output := range o.Report.Outputs {
							seen = append(seen, output.Name)
						}
					})
				Expect(m.Match(run(1, names...))).To(BeFalse())
				Expect(seen).To(Equal([]string{"a", "b"}))
			}
			Expect(outputsOf(ctx, shifted(1), inputs)).To(Equal([]string{"y"}))
			marked, err := shifted(1).Mark("w", "b")
			Expect(err).NotTo(HaveOccurred())
			Expect(outputsOf(ctx, marked, inputs)).To(Equal([]string{"w", "b", "y"}))
		})
})

// outputsOf is the names of a model's outputs, as a run has them.
func outputsOf(ctx SpecContext, model *loaders.Model, inputs fixtures.Inputs) []string {
	GinkgoHelper()
	run, err := ort.Run(ctx, model, inputs)
	Expect(err).NotTo(HaveOccurred())
	return run.Outputs()[0].Names()
}
