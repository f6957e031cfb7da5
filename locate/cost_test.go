package locate_test

import (
	"context"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// noting is an engine that notes the models that it opens.
type noting struct {
	backends.Engine
	seen *seen
}

type seen struct {
	sync.Mutex
	outputs []int // of each model
}

func (e noting) Capabilities() backends.Capabilities {
	return backends.Capabilities{Neighborly: backends.CapabilitiesOf(e.Engine).Neighborly}
}

func (e noting) Open(ctx context.Context, m fixtures.Declaration, in fixtures.Inputs) (
	backends.Backend, error) {
	outputs, err := m.(*loaders.Model).Outputs()
	if err != nil {
		return nil, err
	}
	e.seen.Lock()
	e.seen.outputs = append(e.seen.outputs, len(outputs))
	e.seen.Unlock()
	return e.Engine.Open(ctx, m, in)
}

// notingSides are a network with another operator at a node and the network itself, in an engine
// that notes what it opens.
func notingSides(layers, node int, seen *seen) (a, e backends.Subject) {
	faulty := network(layers)
	faulty.Nodes[node].Op = "Sub"
	a, e = side("actual", faulty), side("expected", network(layers))
	a.Engine, e.Engine = noting{a.Engine, seen}, noting{e.Engine, seen}
	return a, e
}

var _ = Describe("what a search costs", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is five sessions: each side as it is, each with its tensors, and the nodes alone",
		func(ctx SpecContext) {
			var opened seen
			a, e := notingSides(30, 31, &opened)
			found, err := locate.Divergence(ctx, a, e, strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Isolated.Index).To(Equal(31))
			Expect(opened.outputs).To(Equal([]int{1, 1, 90, 90, 90}))
		})

	It("is as many where tensors are paired by their values", func(ctx SpecContext) {
		var opened seen
		a, e := notingSides(30, 31, &opened)
		renamed := network(30)
		for i := range renamed.Nodes {
			n := &renamed.Nodes[i]
			if i < len(renamed.Nodes)-1 {
				n.Out = []string{"other_" + n.Out[0]}
			}
			if i > 0 {
				n.In = append([]string{renamed.Nodes[i-1].Out[0]}, n.In[1:]...)
			}
		}
		e.Model = loaders.ONNXBytes("renamed", onnxtest.Model{Graph: renamed}.Bytes())
		found, err := locate.Divergence(ctx, a, e, strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Isolated.Index).To(Equal(31))
		Expect(opened.outputs[:5]).To(Equal([]int{1, 1, 90, 90, 90}))
	})
})
