//go:build !race

package locate_test

import (
	"fmt"
	"runtime/debug"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/memory"
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
			Expect(opened.outputs[:3]).To(Equal([]int{1, 1, nodes}))
			for _, n := range opened.outputs[3:] {
				Expect(n).To(BeNumerically("<", nodes/2), "%v", opened.outputs)
			}
			Expect(len(opened.outputs)).To(BeNumerically(">", 8), "%v", opened.outputs)
		})

	It("is bounded for both sides together", func(ctx SpecContext) {
		skips.Long(GinkgoT())
		const rows, nodes, budget = 1 << 18, 120, 256 << 20 // 8 MiB a tensor, 1.9 GiB on both sides
		a, e := side("actual", network(1)), side("expected", network(1))
		a.Model, e.Model = wide(rows, nodes, 80), wide(rows, nodes, -1)
		inputs := fixtures.Random(e.Model, fixtures.Seed(1), fixtures.Shape("x", rows, width))
		a.Inputs, e.Inputs = inputs, inputs
		options := strict()
		options.Memory = budget
		debug.FreeOSMemory()
		before, known := memory.Resident()
		if !known {
			Skip("the size of the process is not known")
		}
		most, done, sampled := uint64(0), make(chan bool), make(chan bool)
		go func() {
			defer close(sampled)
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
					now, _ := memory.Resident()
					most = max(most, now)
				}
			}
		}()
		found, err := locate.Divergence(ctx, a, e, options)
		close(done)
		<-sampled
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Isolated.Index).To(Equal(80))
		Expect(most-before).To(BeNumerically("<", budget+64<<20), "the engines take 64 MiB themselves")
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
