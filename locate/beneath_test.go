package locate_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/locate"
)

// tiny multiplies x by 1e-7 and by 1e7, and then adds four constants. Next to it, x times 1e-7 is
// added to the result. The arguments are the three factors, and each of the constants.
func tiny(small, large, aside, each float32) onnxtest.Graph {
	g := onnxtest.Graph{Name: "tiny",
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{4, width}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{4, width}}}}
	node := func(op, name, from, to string, value float32) {
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: op, Name: name, In: []string{from, "c" + name},
			Out: []string{to}})
		g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: "c" + name, Type: 1,
			Dims: []int64{}, Raw: onnxtest.Float32s(value)})
	}
	node("Mul", "small", "x", "s", small)
	node("Mul", "aside", "x", "a", aside)
	node("Mul", "large", "s", "p0", large)
	for i := range 4 {
		node("Add", fmt.Sprint("add", i), fmt.Sprint("p", i), fmt.Sprint("p", i+1), each)
	}
	g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Add", Name: "sum", In: []string{"p4", "a"},
		Out: []string{"y"}})
	return g
}

var _ = DescribeTable("A difference within the absolute tolerance that a later node enlarges",
	func(ctx SpecContext, actual onnxtest.Graph, blamed string) {
		ort.Require(GinkgoT())
		a, e := side("actual", actual), side("expected", tiny(1e-7, 1e7, 1e-7, 0.5))
		found, err := locate.Divergence(ctx, a, e, strict())
		Expect(err).NotTo(HaveOccurred())
		if blamed == "" {
			Expect(found.Cause).To(ContainSubstring("accumulation, since every node alone"))
			Expect(found.Isolated).To(BeNil())
			Expect(found.Fault).To(BeNil())
			return
		}
		Expect(found.Cause).To(And(
			ContainSubstring(`: errors accumulate, starting with Mul "`+blamed+`" (node `),
			MatchRegexp(`within tolerance only because the values of "\S+" are small`)))
		Expect(found.Isolated).To(HaveField("Node", blamed))
		Expect(found.Fault.Nodes).To(HaveLen(1))
	},
	Entry("is at fault", tiny(1.25e-7, 1e7, 1e-7, 0.5), "small"),
	Entry("is at fault rather than one that hardly counts", tiny(1.25e-7, 1e7, 2e-7, 0.5), "small"),
	Entry("is not blamed if each of four nodes adds a quarter of the error",
		tiny(1e-7, 1e7, 2e-7, 0.500008), ""),
)
