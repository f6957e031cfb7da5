package locate_test

import (
	"fmt"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("Tensors that depend only on weights", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	const wide, layers = 512, 24 // 1 MiB a weight

	// sharing is a chain of products whose weights are made from one weight by the given operator.
	sharing := func(op string) onnxtest.Graph {
		g := onnxtest.Graph{Name: "sharing",
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{4, wide}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{4, wide}}}}
		random := rand.New(rand.NewPCG(1, 2))
		for _, name := range []string{"w", "stale"} {
			g.Initializers = append(g.Initializers, weights(name, random, 0.06, wide, wide))
		}
		for i := range layers {
			g.Nodes = append(g.Nodes, onnxtest.Node{Op: op, Name: fmt.Sprint("copy", i),
				In: []string{"w"}, Out: []string{fmt.Sprint("w", i)}})
		}
		before := "x"
		for i := range layers {
			out := fmt.Sprint("m", i)
			if i == layers-1 {
				out = "y"
			}
			g.Nodes = append(g.Nodes, onnxtest.Node{Op: "MatMul", Name: fmt.Sprint("matmul", i),
				In: []string{before, fmt.Sprint("w", i)}, Out: []string{out}})
			before = out
		}
		return g
	}
	// located returns the operator and the name of the node that a search blames, and the number of
	// outputs of each model that it opened.
	located := func(ctx SpecContext, actual, expected onnxtest.Graph) (string, []int) {
		GinkgoHelper()
		var opened seen
		a, e := notingSides(1, 1, &opened)
		a.Model = loaders.ONNXBytes("actual", onnxtest.Model{Graph: actual}.Bytes())
		e.Model = loaders.ONNXBytes("expected", onnxtest.Model{Graph: expected}.Bytes())
		a.Inputs = fixtures.Random(e.Model.(*loaders.Model), fixtures.Seed(1))
		e.Inputs = a.Inputs
		options := strict()
		options.Memory = 64 << 20
		found, err := locate.Divergence(ctx, a, e, options)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Tensors).To(HaveLen(len(actual.Nodes)))
		return found.First.Op + " " + found.First.Node, opened.outputs
	}

	It("are read from the model where it contains them: a stale one is named, and none is marked",
		func(ctx SpecContext) {
			stale := sharing("Identity")
			stale.Nodes[7].In[0] = "stale"
			blamed, outputs := located(ctx, stale, sharing("Identity"))
			Expect(blamed).To(Equal("Identity copy7"))
			Expect(outputs).To(HaveEach(BeNumerically("<=", layers)), "%v", outputs)

			held := sharing("Identity")
			inNodes(&stale)
			inNodes(&held)
			blamed, outputs = located(ctx, stale, held)
			Expect(blamed).To(Equal("Identity copy7"))
			Expect(outputs).To(HaveEach(BeNumerically("<=", layers)), "%v", outputs)
		})

	It("are marked in several batches where an engine computes them", func(ctx SpecContext) {
		stale := sharing("Transpose")
		stale.Nodes[7].In[0] = "stale"
		blamed, outputs := located(ctx, stale, sharing("Transpose"))
		Expect(blamed).To(Equal("Transpose copy7"))
		const batch = 5 // MiB of weights, where the budget is 64
		Expect(outputs[2:2+2*(layers/batch)]).To(HaveEach(BeNumerically("<=", 1+batch)), "%v", outputs)
	})
})
