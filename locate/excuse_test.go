package locate_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// cancelling is [network] after a product whose terms are 100 times as large as their sum.
func cancelling() onnxtest.Graph {
	g := network(2)
	var terms []float32
	for i := range 2 * width * width {
		sign := float32(1 - 2*(i/(width*width)))
		terms = append(terms, sign*(100+float32(i%7))+float32(i%5)/10)
	}
	axis := int64(-1)
	g.Nodes[0].In[0] = "near"
	g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: "terms", Type: 1,
		Dims: []int64{2 * width, width}, Raw: onnxtest.Float32s(terms...)})
	g.Nodes = append([]onnxtest.Node{
		{Op: "Concat", Name: "twice", In: []string{"x", "x"}, Out: []string{"xx"},
			Attrs: []onnxtest.Attr{{Name: "axis", Int: &axis}}},
		{Op: "MatMul", Name: "cancel", In: []string{"xx", "terms"}, Out: []string{"near"}}}, g.Nodes...)
	return g
}

var _ = DescribeTable("A product of large terms whose kernel sums in another order",
	func(ctx SpecContext, off float32, op, blamed string) {
		ort.Require(GinkgoT())
		// The engine adds the same error to the product in every model that returns it.
		other := func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			opened, err := plain.Open(ctx, m, in)
			if err != nil {
				return nil, err
			}
			return fake.New(fake.Func(func(ctx context.Context, set *tensor.Set) (*tensor.Set, error) {
				run, err := opened.Run(ctx, fixtures.Of(set))
				if err != nil {
					return nil, err
				}
				var entries []tensor.Entry
				for name, t := range run.Outputs()[0].All() {
					if strings.TrimSuffix(name, loaders.CutSuffix) == "near" {
						values := floats(t.Bytes())
						for i := range values {
							values[i] += off
						}
						if t, err = tensor.New(t.Shape(), values); err != nil {
							return nil, err
						}
					}
					entries = append(entries, tensor.Entry{Name: name, Tensor: t})
				}
				return tensor.NewSet(entries...)
			})), nil
		}
		actual := cancelling()
		actual.Nodes[6].Op = op
		found, err := locate.Divergence(ctx, by(side("actual", actual), other),
			side("expected", cancelling()), strict())
		Expect(err).NotTo(HaveOccurred())
		if blamed == "" {
			Expect(found.Isolated).To(BeNil(), found.Text())
			Expect(found.First).To(BeNil(), found.Text())
			return
		}
		Expect(found.Isolated).To(HaveField("Node", blamed), found.Text())
	},
	Entry("is not blamed in a healthy model", float32(1e-4), "Add", ""),
	Entry("is not blamed before a fault", float32(1e-4), "Sub", "add1"),
	Entry("is blamed beyond what rounding can do", float32(0.1), "Sub", "cancel"),
)
