package locate_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("a tensor that goes through float16 within a float32 model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is a fault, and not the rounding of the model", func(ctx SpecContext) {
		faulty := network(6)
		const float32Type, float16Type = int64(1), int64(10)
		to := func(elem int64) []onnxtest.Attr { return []onnxtest.Attr{{Name: "to", Int: &elem}} }
		at := 8 // the network's third layer ends here
		name := faulty.Nodes[at].Out[0]
		faulty.Nodes[at].Out = []string{"exact"}
		nodes := append([]onnxtest.Node{}, faulty.Nodes[:at+1]...)
		nodes = append(nodes,
			onnxtest.Node{Op: "Cast", Name: "down", In: []string{"exact"}, Out: []string{"short"},
				Attrs: to(float16Type)},
			onnxtest.Node{Op: "Cast", Name: "up", In: []string{"short"}, Out: []string{name},
				Attrs: to(float32Type)})
		faulty.Nodes = append(nodes, faulty.Nodes[at+1:]...)
		found, err := locate.Divergence(ctx, side("actual", faulty), side("expected", network(6)),
			strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Fault).NotTo(BeNil(), found.Text())
		var names []string
		for _, n := range found.Fault.Nodes {
			names = append(names, n.Name)
		}
		Expect(names).To(And(Not(BeEmpty()), HaveEach(BeElementOf("down", "up"))), found.Text())
	})

	It("that overflows there says so, also where no node ran alone", func(ctx SpecContext) {
		const at = 8
		name := network(6).Nodes[at].Out[0]
		one := func(name string, value float32) onnxtest.Tensor {
			return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(value)}
		}
		build := func(short bool) onnxtest.Graph {
			g := network(6)
			g.Initializers = append(g.Initializers, one("large", 1e6), one("small", 1e-6))
			g.Nodes[at].Out = []string{"exact"}
			nodes := append([]onnxtest.Node{}, g.Nodes[:at+1]...)
			nodes = append(nodes, onnxtest.Node{Op: "Mul", Name: "raise", In: []string{"exact", "large"},
				Out: []string{"raised"}})
			stored := "raised"
			if short {
				stored = "loaded"
				nodes = append(nodes, cast("store", "raised", "stored", 10),
					cast("load", "stored", stored, 1))
			}
			nodes = append(nodes, onnxtest.Node{Op: "Mul", Name: "lower", In: []string{stored, "small"},
				Out: []string{name}})
			g.Nodes = append(nodes, g.Nodes[at+1:]...)
			return g
		}
		o := strict()
		o.Isolate = false
		found, err := locate.Divergence(ctx, side("actual", build(true)),
			side("expected", build(false)), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(MatchRegexp(`^"(stored|loaded)" is the first tensor out of tolerance, ` +
			`computed by Cast "(store|load)" \(node 1[01].*\): only one side is infinite; ` +
			`the node did not run alone, so nothing confirms that it is at fault$`))
	})
})

// cast is a Cast to an element type.
func cast(name, in, out string, elem int64) onnxtest.Node {
	return onnxtest.Node{Op: "Cast", Name: name, In: []string{in}, Out: []string{out},
		Attrs: []onnxtest.Attr{{Name: "to", Int: &elem}}}
}
