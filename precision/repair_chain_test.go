package precision_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// wrongUnless is an engine that gives the right outputs only where it keeps a node in float32.
type wrongUnless struct {
	backends.Engine
	node, kept string // kept are names, each between commas
}

func (e wrongUnless) String() string { return "wrong" }

func (e wrongUnless) Capabilities() backends.Capabilities {
	return backends.Capabilities{Raise: e.raise,
		NodeLayers: func(context.Context, fixtures.Declaration) ([][]string, error) {
			return nil, nil // layers named like the nodes
		}}
}

func (e wrongUnless) raise(nodes []string, _ tensor.ElementType) (backends.Engine, error) {
	e.kept = "," + strings.Join(nodes, ",") + ","
	return e, nil
}

func (e wrongUnless) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	if !strings.Contains(e.kept, ","+e.node+",") {
		m := model.(*loaders.Model)
		wrong, err := edit.ReplaceConstants(m, func(c loaders.Constant) (*tensor.Tensor, error) {
			if c.Values.ElementType() != tensor.Float32 {
				return nil, nil
			}
			list := c.Values.Float64s()
			values := make([]float32, len(list))
			for i, v := range list {
				values[i] = float32(1.1 * v)
			}
			return tensor.New(c.Values.Shape(), values)
		})
		if err != nil {
			return nil, err
		}
		model = wrong
	}
	return e.Engine.Open(ctx, model, inputs)
}

var _ = DescribeTable("A chain of many nodes is repaired with no more than the first or last ones",
	func(ctx SpecContext, op string, gain float64, modes ...bool) {
		ort.Require(GinkgoT())
		const size, depth = 16, 12
		random := rand.New(rand.NewPCG(3, 3))
		var weights []onnxtest.Tensor
		var nodes []onnxtest.Node
		last := "x"
		for k := range depth {
			w := make([]float32, size*size)
			for i := range w {
				w[i] = float32(random.NormFloat64() / math.Sqrt(size) * gain)
			}
			name := string(rune('a' + k))
			weights = append(weights, onnxtest.Tensor{Name: "w" + name, Type: float,
				Dims: []int64{size, size}, Raw: onnxtest.Float32s(w...)})
			out := name
			if k == depth-1 {
				out = "y"
			}
			nodes = append(nodes, node("MatMul", "product "+name, out+"/p", last, "w"+name),
				node(op, "bend "+name, out, out+"/p"))
			last = out
		}
		model := graph(size, weights, nodes...)
		inputs := fixtures.Random(model, fixtures.Seed(2), fixtures.Iterations(5))
		drawn, err := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}.Draw()
		Expect(err).NotTo(HaveOccurred())
		inputs = fixtures.Of(drawn...) // fixed, so that no search begins again with others
		for _, atol := range []float64{2e-3, 1e-3, 8e-4, 5e-4} {
			found, err := repair(ctx, model, inputs, atol)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Guided).To(BeNumerically("<=", found.Nodes+10))
			for _, reverse := range []bool{false, true} {
				for _, linear := range modes {
					other, err := precision.Layers{Format: precision.FP16, Rule: within(atol),
						Linear: linear, Reverse: reverse}.Find(ctx, []backends.Subject{
						{Engine: ort.Engine(), Model: model, Inputs: found.Inputs()}})
					Expect(err).NotTo(HaveOccurred())
					GinkgoWriter.Println(atol, found.Computing, linear, reverse, other)
					if other.Found {
						Expect(found.Computing).To(BeNumerically("<=", len(other.Names)))
					}
				}
			}
		}
	},
	Entry("with runs to spare", "Relu", math.Sqrt2, false, true),
	Entry("where every node computes", "Tanh", 1.2, false))
