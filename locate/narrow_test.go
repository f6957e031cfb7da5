package locate_test

import (
	"context"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("A stretch", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// tokens is a sequence of vectors, x → Linear → activation → Linear → y, with Linear written as
	// MatMul and Add, or as the Gemm between Reshapes that simplifiers and optimisers make of it.
	tokens := func(gemm bool, activation string) onnxtest.Graph {
		d := &drawn{onnxtest.Graph{Name: "tokens",
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", channels, edge, edge}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", channels, edge, edge}}}},
			rand.New(rand.NewPCG(3, 4))}
		d.Initializers = append(d.Initializers,
			onnxtest.Tensor{Name: "rows", Type: 7, Dims: []int64{2}, Raw: onnxtest.Int64s(-1, edge)},
			onnxtest.Tensor{Name: "whole", Type: 7, Dims: []int64{4},
				Raw: onnxtest.Int64s(-1, channels, edge, edge)})
		linear := func(name, from string) string {
			w, b := d.weight("w"+name, 0, 0.5, edge, edge), d.weight("b"+name, 0, 0.3, edge)
			if !gemm {
				return d.node("Add", "add"+name, []string{d.node("MatMul", "matmul"+name,
					[]string{from, w}), b})
			}
			flat := d.node("Reshape", "flat"+name, []string{from, "rows"})
			product := d.node("Gemm", "gemm"+name, []string{flat, w, b})
			return d.node("Reshape", "back"+name, []string{product, "whole"})
		}
		t := linear("1", "x")
		t = d.node(activation, "act", []string{t})
		linear("2", t)
		d.Nodes[len(d.Nodes)-1].Out[0] = "y"
		return d.Graph
	}
	named := func(ctx context.Context, actual, expected onnxtest.Graph) []string {
		GinkgoHelper()
		side := func(name string, g onnxtest.Graph) backends.Subject {
			model := loaders.ONNXBytes(name, onnxtest.Model{Graph: g,
				Opsets: map[string]int64{"": 19, "com.microsoft": 1}}.Bytes())
			return backends.Subject{Engine: plain, Model: model, Inputs: fixtures.Random(model,
				fixtures.Seed(3), fixtures.Shape("x", 2, channels, edge, edge), fixtures.ValRange(-1, 1))}
		}
		found, err := locate.Divergence(ctx, side("actual", actual), side("expected", expected),
			visible())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Fault).NotTo(BeNil(), found.Cause)
		return accused(found)
	}

	It("is looked into behind Reshapes: the Gemm between them is named", func(ctx SpecContext) {
		for _, wrong := range []string{"w1", "b1", "w2", "b2"} {
			actual := tokens(true, "Tanh")
			initializer(&actual, wrong).Raw[3] ^= 0x40
			Expect(named(ctx, actual, tokens(false, "Tanh"))).To(Equal([]string{"gemm" + wrong[1:]}), wrong)
		}
	})

	It("is looked into where a fused node has an activation behind it", func(ctx SpecContext) {
		expected := tokens(false, "Relu")
		actual := tokens(false, "Relu")
		// FusedGemm is ONNX Runtime's: x → Reshape → Gemm with Relu → Reshape.
		actual.Nodes = append([]onnxtest.Node{
			{Op: "Reshape", Name: "flat", In: []string{"x", "rows"}, Out: []string{"flat_out"}},
			{Op: "FusedGemm", Name: "fused", Domain: "com.microsoft",
				In: []string{"flat_out", "w1", "b1"}, Out: []string{"fused_out"},
				Attrs: []onnxtest.Attr{{Name: "activation", Text: "Relu"}}},
			{Op: "Reshape", Name: "back", In: []string{"fused_out", "whole"}, Out: []string{"act_out"}}},
			actual.Nodes[3:]...)
		initializer(&actual, "w1").Raw[3] ^= 0x40
		Expect(named(ctx, actual, expected)).To(Equal([]string{"fused"}))
	})

	It("stays a stretch where a node may be wired wrong or another have lost what follows it",
		func(ctx SpecContext) {
			actual, expected := tokens(false, "Relu"), tokens(false, "Relu")
			actual.Nodes = append(actual.Nodes[:2], actual.Nodes[3:]...) // no Relu
			actual.Nodes[2].In = []string{"add1_out", "w2"}
			Expect(named(ctx, actual, expected)).To(ContainElement("matmul2"))
		})
})

// accused are the names of the nodes that a finding accuses.
func accused(found *locate.Finding) (list []string) {
	for _, n := range found.Fault.Nodes {
		list = append(list, n.Name)
	}
	return list
}
