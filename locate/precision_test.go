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
})
