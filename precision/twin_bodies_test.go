package precision_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
)

// branched is an If whose bodies multiply x by weights.
func branched() *loaders.Model {
	branch := func(name string) onnxtest.Attr {
		return onnxtest.Attr{Name: name, Graph: &onnxtest.Graph{Name: name,
			Nodes:   []onnxtest.Node{{Op: "MatMul", In: []string{"x", "w"}, Out: []string{name + "/y"}}},
			Outputs: []onnxtest.Value{{Name: name + "/y", Elem: 1}}}}
	}
	return loaders.ONNXBytes("branched.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Initializers: []onnxtest.Tensor{weights("w", 8, 4), {Name: "yes", Type: 9, Raw: []byte{1}}},
		Nodes: []onnxtest.Node{{Op: "If", In: []string{"yes"}, Out: []string{"y"},
			Attrs: []onnxtest.Attr{branch("then_branch"), branch("else_branch")}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, 8}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1}}}}.Bytes())
}

var _ = It("The twin and repair say that bodies of If are not covered", func(ctx SpecContext) {
	ort.Require(GinkgoT())
	model := branched()
	_, err := precision.TwinOf(ctx, subject(model, fixtures.Random(model)))
	Expect(err).To(MatchError(HaveSuffix("cannot build an exact integer version of the model: " +
		"no MatMul, Conv, ConvTranspose or Gemm with alpha and beta 1 has float32 weights; dequantised " +
		"weights, bodies of If, Loop and Scan, and functions do not count")))
	_, err = precision.Repair{Format: precision.FP16, Rule: within(1e-9)}.Find(ctx,
		subject(model, fixtures.Random(model)))
	Expect(err).To(MatchError(HaveSuffix("branched.onnx has no node to lower from float32 to " +
		"fp16 (nodes of other types or domains, bodies of If, Loop and Scan, and functions stay as " +
		"they are)")))
})
