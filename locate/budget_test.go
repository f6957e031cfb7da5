//go:build !race

package locate_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// The process's size is what the race detector multiplies.
var _ = Describe("what a search holds", Serial, func() {
	It("keeps to the budget: a run that grows beyond it is stopped, and marks fewer tensors",
		func(ctx SpecContext) {
			skips.Long(GinkgoT())
			var opened seen
			a, e := notingSides(1, 1, &opened)
			const rows, nodes = 1 << 18, 30 // 8 MiB a tensor
			a.Model, e.Model = wide(rows, nodes, 20), wide(rows, nodes, -1)
			inputs := fixtures.Random(e.Model, fixtures.Seed(1), fixtures.Shape("x", rows, width))
			a.Inputs, e.Inputs = inputs, inputs
			options := strict()
			options.Memory, options.Isolate = 64<<20, false
			found, err := locate.Divergence(ctx, a, e, options)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Tensors).To(HaveLen(nodes))
			Expect(found.Notes).To(BeEmpty())
			Expect(found.First.Index).To(Equal(20))
			Expect(opened.outputs[:4]).To(Equal([]int{1, 1, nodes, nodes}))
			for _, n := range opened.outputs[4:] {
				Expect(n).To(BeNumerically("<", nodes/2), "%v", opened.outputs)
			}
			Expect(len(opened.outputs)).To(BeNumerically(">", 8), "%v", opened.outputs)
		})
})

// wide is a chain of Neg over rows of the usual width, with an Exp at one place.
func wide(rows int64, nodes, at int) *loaders.Model {
	g := onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{rows, width}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{rows, width}}}}
	before := "x"
	for i := range nodes {
		out := fmt.Sprint("t", i)
		if i == nodes-1 {
			out = "y"
		}
		op := "Neg"
		if i == at {
			op = "Exp"
		}
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: op, Name: fmt.Sprint(op, i), In: []string{before},
			Out: []string{out}})
		before = out
	}
	return loaders.ONNXBytes("wide", onnxtest.Model{Graph: g}.Bytes())
}
