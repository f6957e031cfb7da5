package relations_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
)

var _ = Describe("floats of which a model makes indices", func() {
	It("hold neither NaN nor huge values", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		const float32s, int64s = 1, 7
		model := loaders.ONNXBytes("lookup", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{{Name: "ids", Elem: float32s, Dims: []any{"batch", 3}}},
			Initializers: []onnxtest.Tensor{{Name: "table", Type: float32s, Dims: []int64{4, 2},
				Raw: onnxtest.Float32s(1, 2, 3, 4, 5, 6, 7, 8)}},
			Nodes: []onnxtest.Node{
				{Op: "Cast", In: []string{"ids"}, Out: []string{"whole"},
					Attrs: []onnxtest.Attr{{Name: "to", Int: new(int64(int64s))}}},
				{Op: "Gather", In: []string{"table", "whole"}, Out: []string{"y"}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{"batch", 3, 2}}},
		}}.Bytes())
		report, err := relations.Check(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model, fixtures.Shape("ids", 2, 3), fixtures.ValRange(0, 3))},
			relations.Options{}, relations.Rows(), relations.Batch())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Holds()).To(BeTrue(), report.Text())
		Expect(report.Text()).To(ContainSubstring(
			`NaN and huge values were not tried in "ids": the model converts it to integers`))
	})
})
