package locate_test

import (
	"context"
	"fmt"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// planted computes Neg, Relu and Add of float32 in Go, with a fault in Relu. Unlike [engine] it
// runs the graph, whole or cut, so that a vote can look inside.
type planted struct{ name, fault string }

func (e planted) Text() string     { return e.name + " " + e.fault }
func (e planted) String() string   { return e.name }
func (e planted) GoString() string { return e.name + ".Engine()" }

type graph struct {
	planted
	model *loaders.Model
	nodes []loaders.Node
}

func (e planted) Open(_ context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX(e.name, model)
	if err != nil {
		return nil, err
	}
	nodes, err := m.Nodes()
	return graph{e, m, nodes}, err
}

func (g graph) Close() error { return nil }

func (g graph) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	outputs, err := g.model.Outputs()
	if err != nil {
		return nil, err
	}
	before := map[string]*tensor.Tensor{} // by the node's output
	return backends.Collect(ctx, backends.Provenance{Backend: g.name, Version: "1"},
		backends.Subject{Engine: g.planted, Model: g.model}, inputs,
		func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			known := map[string]*tensor.Tensor{}
			for name, t := range in.All() {
				known[name] = t
			}
			for _, n := range g.nodes {
				out, err := g.compute(n, known, before)
				if err != nil {
					return nil, err
				}
				known[n.Outputs[0]] = out
			}
			var entries []tensor.Entry
			for _, out := range outputs {
				entries = append(entries, tensor.Entry{Name: out.Name, Tensor: known[out.Name]})
			}
			return tensor.NewSet(entries...)
		})
}

func (g graph) compute(n loaders.Node, known, before map[string]*tensor.Tensor) (
	*tensor.Tensor, error) {
	x, err := tensor.Values[float32](known[n.Inputs[0]])
	if err != nil {
		return nil, err
	}
	y := make([]float32, len(x))
	for i, v := range x {
		switch n.Op {
		case "Neg":
			y[i] = -v
		case "Relu":
			y[i] = max(v, 0)
			if g.fault == "operator" {
				y[i] = float32(math.Tanh(float64(v)))
			}
		case "Add":
			y[i] = v + float32(known[n.Inputs[1]].Float64At(i))
		default:
			return nil, fmt.Errorf("no operator %s", n.Op)
		}
	}
	shape := known[n.Inputs[0]].Shape()
	if n.Op == "Relu" && g.fault == "rows" {
		y = append(y[shape[1]:], y[:shape[1]]...)
	}
	out, err := tensor.New(shape, y)
	if err != nil || n.Op != "Relu" {
		return out, err
	}
	switch g.fault {
	case "bfloat16":
		return narrowed(out, tensor.BFloat16)
	case "float16":
		return narrowed(out, tensor.Float16)
	case "stale":
		last, now := before[n.Outputs[0]], out
		before[n.Outputs[0]] = now
		if last != nil {
			return last, nil
		}
	}
	return out, nil
}

var _ = DescribeTable("A vote names the node with a planted fault", func(ctx SpecContext,
	fault string) {
	model := loaders.ONNXBytes("chain.onnx", chain())
	inputs := fixtures.Random(model, fixtures.ValRange(-2, 2), fixtures.Iterations(2))
	o := within
	o.Locate = true
	for place := range 3 {
		engines := []backends.Engine{planted{"a", ""}, planted{"b", ""}, planted{"c", ""}}
		engines[place] = planted{"odd", fault}
		report, err := locate.Vote(ctx, model, inputs, o, engines...)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Headline()).To(HavePrefix("y: odd disagrees with the majority"))
		Expect(report.Apart).To(HaveLen(1))
		Expect(report.Apart[0].Problem).To(BeEmpty())
		Expect(report.Apart[0].Located.Isolated.Node).To(Equal("positive"))
		Expect(report.Text()).To(ContainSubstring(`"p" is the first tensor out of tolerance, ` +
			`computed by Relu "positive" (node 1)`))
		follows(report)
	}
},
	Entry("a wrong operator", "operator"),
	Entry("float16 inside", "float16"),
	Entry("bfloat16 inside", "bfloat16"),
	Entry("rows in another order", "rows"),
	Entry("the output of before", "stale"),
)
