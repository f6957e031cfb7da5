package locate_test

import (
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/locate"
)

// inNodes moves a graph's weights into Constant nodes, where some exporters keep all of them.
func inNodes(g *onnxtest.Graph) {
	var nodes []onnxtest.Node
	for _, t := range g.Initializers {
		name := t.Name
		t.Name = ""
		nodes = append(nodes, onnxtest.Node{Op: "Constant", Name: name + "_held", Out: []string{name},
			Attrs: []onnxtest.Attr{{Name: "value", Tensor: &t}}})
	}
	g.Nodes, g.Initializers = append(nodes, g.Nodes...), nil
}

var _ = Describe("Weights in Constant nodes", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// heads is a gain and three products behind it with weights of one shape, which nothing but
	// their weights tells apart, in the order that is asked for.
	heads := func(gain float64, order ...string) onnxtest.Graph {
		d := &drawn{onnxtest.Graph{Name: "heads",
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", channels, edge, edge}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", channels, edge, edge}}}},
			rand.New(rand.NewPCG(3, 4))}
		for _, name := range []string{"a", "b", "c"} {
			d.weight("w"+name, 0, 0.5, edge, edge)
		}
		from := d.node("Mul", "gain", []string{"x", d.weight("g", gain, 0.1, edge)})
		for _, name := range order {
			d.node("MatMul", "head"+name, []string{from, "w" + name})
		}
		product := d.node("Mul", "product", []string{"heada_out", "headb_out"})
		d.node("Sub", "difference", []string{product, "headc_out"})
		d.Nodes[len(d.Nodes)-1].Out[0] = "y"
		return d.Graph
	}

	DescribeTable("tell nodes behind a fault apart as initializers do",
		func(ctx SpecContext, here, there bool) {
			actual, expected := heads(-1, "a", "b", "c"), heads(1, "c", "b", "a")
			for i := range expected.Nodes {
				n := &expected.Nodes[i]
				n.Name = "other_" + n.Name
				if n.Out[0] != "y" {
					n.Out[0] = "other_" + n.Out[0]
				}
				for k, name := range n.In {
					if name != "x" && initializer(&expected, name) == nil {
						n.In[k] = "other_" + name
					}
				}
			}
			if here {
				inNodes(&actual)
			}
			if there {
				inNodes(&expected)
			}
			found := imagesPart(ctx, actual, expected)
			Expect(found.Pairing.Paired).To(Equal(6), "%v", found.OnlyActual)
			for _, name := range []string{"a", "b", "c"} {
				Expect(found.Tensors).To(ContainElement(And(HaveField("Tensor", "head"+name+"_out"),
					HaveField("Expected", "other_head"+name+"_out"))))
			}
			Expect(accused(found)).To(Equal([]string{"gain"}), found.Cause)
		},
		Entry("initializers on both sides", false, false),
		Entry("Constant nodes on both sides", true, true),
		Entry("Constant nodes on the actual side", true, false),
		Entry("Constant nodes on the expected side", false, true),
	)

	It("are named if they differ, and not judged against float64", func(ctx SpecContext) {
		actual, expected := heads(2, "a", "b", "c"), heads(1, "a", "b", "c")
		inNodes(&actual)
		inNodes(&expected)
		found := imagesPart(ctx, actual, expected)
		Expect(found.Cause).To(HavePrefix(
			`"g" is the first tensor out of tolerance, computed by Constant`))
		Expect(found.Text()).NotTo(ContainSubstring("float64"))
	})

	It("have the scales of quantized tensors", func(ctx SpecContext) {
		g := quantized(4)
		inNodes(&g)
		found, err := locate.Divergence(ctx, side("actual", g), side("expected", network(4)), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Fault).To(BeNil(), found.Cause)
		for _, name := range []string{"t1" + suffix, "w1" + suffix} {
			at := slices.IndexFunc(found.Tensors, func(p locate.Point) bool { return p.Tensor == name })
			Expect(at).To(BeNumerically(">=", 0), name)
			Expect(found.Tensors[at].OverScale).NotTo(BeNil(), name)
			Expect(float64(*found.Tensors[at].OverScale)).To(BeNumerically("~", 0.29, 0.08), name)
		}
	})
})
