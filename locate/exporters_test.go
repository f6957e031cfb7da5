package locate_test

import (
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("models of other exporters", func() {
	subject := func(d *drawn) backends.Subject {
		model := loaders.ONNXBytes(d.Name, onnxtest.Model{Graph: d.Graph,
			Opsets: map[string]int64{"": 17, "com.microsoft": 1}}.Bytes())
		return backends.Subject{Engine: plain, Model: model, Inputs: fixtures.Random(model,
			fixtures.Seed(1), fixtures.Shape("x", 2, 4, width))}
	}
	graph := func(name string, output ...any) *drawn {
		return &drawn{onnxtest.Graph{Name: name,
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", 4, width}}},
			Outputs: []onnxtest.Value{{Name: "y_out", Elem: 1, Dims: output}}},
			rand.New(rand.NewPCG(1, 2))}
	}

	It("may normalise a sum in the same node, and the sum is not taken for the result",
		func(ctx SpecContext) {
			block := func(name string, fused bool, scale float64) backends.Subject {
				d := graph(name, "batch", 4, width)
				one, zero := d.weight("one", 1, 0, width), d.weight("zero", 0, 0, width)
				n := d.node("LayerNormalization", "n", []string{"x", one, zero})
				m := d.node("MatMul", "product", []string{n, d.weight("w", 0, 1e-3, width, width)})
				m = d.node("Add", "shift", []string{m, d.weight("b", 0, scale, width)})
				if fused {
					d.node("SkipLayerNormalization", "y", []string{m, n, one, zero})
					d.Nodes[3].Domain = "com.microsoft"
					return subject(d)
				}
				d.node("LayerNormalization", "y", []string{d.node("Add", "sum", []string{m, n}), one, zero})
				return subject(d)
			}
			found, err := locate.Divergence(ctx, block("a", false, 1.1e-3), block("e", true, 1e-3), strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Cause).To(HavePrefix(`the sides diverge at "shift_out"`))
		})

	It("may compute the shape of a Reshape, and the next node is not blamed for a wrong one",
		func(ctx SpecContext) {
			turned := func(name string, from, to string) backends.Subject {
				d := graph(name, "b", "c", "d")
				d.Initializers = append(d.Initializers, onnxtest.Tensor{Name: "rows", Type: 7,
					Dims: []int64{1}, Raw: []byte{2, 0, 0, 0, 0, 0, 0, 0}},
					onnxtest.Tensor{Name: "rest", Type: 7, Dims: []int64{2},
						Raw: []byte{4, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}})
				shape := d.node("Concat", name+"shape", []string{from, to}, integer("axis", 0))
				t := d.node("Reshape", name+"flat", []string{d.node("Tanh", name+"tanh", []string{"x"}), shape})
				d.node("Transpose", "y", []string{t}, ints("perm", 1, 0, 2))
				return subject(d)
			}
			found, err := locate.Divergence(ctx, turned("a", "rest", "rows"), turned("e", "rows", "rest"),
				strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(accused(found)).To(ContainElement("ashape"), found.Cause)
		})
})
