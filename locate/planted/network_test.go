package planted_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/onnxpb"
)

// network is a model taken apart, so that nodes and weights can be changed.
type network struct {
	wire    *onnxwire.Model
	data    []byte
	nodes   []node
	weights map[string]*tensor.Tensor
	order   []string // of weights
}

// node is one node, and how it is encoded.
type node struct {
	onnxwire.Node
	message []byte
}

// last is the network that was taken apart last: specs of one topology follow one another, and
// sowing a large one takes seconds.
var last struct {
	name string
	*network
}

func cached(t topology) (*network, error) {
	if last.name != t.name {
		n, err := takeApart(t)
		if err != nil {
			return nil, err
		}
		last.name, last.network = t.name, n
	}
	return last.network, nil
}

// clone shares the weights' values, which nobody writes to.
func (n *network) clone() *network {
	return &network{wire: n.wire, data: n.data, nodes: slices.Clone(n.nodes),
		weights: maps.Clone(n.weights), order: slices.Clone(n.order)}
}

// takeApart reads a model; weights that it computes by ConstantOfShape are sown.
func takeApart(t topology) (*network, error) {
	wire, err := onnxwire.Scan(bytes.NewReader(t.data))
	if err != nil {
		return nil, err
	}
	n := &network{wire: wire, data: t.data, weights: map[string]*tensor.Tensor{}}
	for _, w := range wire.Graph.Initializers {
		name, value, err := onnxpb.Tensor(n.bytes(w.Span))
		if err != nil {
			return nil, err
		}
		n.set(name, value)
	}
	for _, one := range wire.Graph.Nodes {
		if one.Op != "ConstantOfShape" || t.sown {
			n.nodes = append(n.nodes, node{one, n.bytes(one.Span)})
			continue
		}
		shape := n.weights[one.Inputs[0]]
		if shape == nil {
			return nil, fmt.Errorf("%s: the shape of %s is no weight", t.name, one.Outputs[0])
		}
		dims := tensor.Shape{}
		for _, d := range shape.Float64s() {
			dims = append(dims, int(d))
		}
		value, err := n.sow(one.Outputs[0], dims)
		if err != nil {
			return nil, err
		}
		n.set(one.Outputs[0], value)
	}
	return n, nil
}

func (n *network) bytes(s onnxwire.Span) []byte { return n.data[s.Start:s.End] }

func (n *network) set(name string, value *tensor.Tensor) {
	if n.weights[name] == nil {
		n.order = append(n.order, name)
	}
	n.weights[name] = value
}

// sow draws a weight by the role it plays. Names seed the generator, so that a network is the same
// in every run.
func (n *network) sow(name string, shape tensor.Shape) (*tensor.Tensor, error) {
	elements, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	hash := fnv.New64a()
	hash.Write([]byte(name)) //nolint:errcheck // a hash takes everything
	random := rand.New(rand.NewPCG(hash.Sum64(), 1))
	draw := func() float64 { return 0.5 + random.Float64() } // scales and variances
	switch n.role(name) {
	case "matrix":
		fanIn := 1.0
		for _, d := range shape[1:] {
			fanIn *= float64(d)
		}
		deviation := math.Sqrt(2 / fanIn)
		draw = func() float64 { return deviation * random.NormFloat64() }
	case "offset":
		draw = func() float64 { return 0.1 * random.NormFloat64() }
	}
	values := make([]float32, elements)
	for i := range values {
		values[i] = float32(draw())
	}
	return tensor.New(shape, values)
}

// role is what a weight is to the node that uses it: a matrix, an offset, or a scale.
func (n *network) role(name string) string {
	for _, one := range n.wire.Graph.Nodes {
		at := slices.Index(one.Inputs, name)
		if at < 0 {
			continue
		}
		switch {
		case one.Op == "Unsqueeze" || one.Op == "Reshape":
			return n.role(one.Outputs[0])
		case (one.Op == "Conv" || one.Op == "Gemm") && at == 1:
			return "matrix"
		case (one.Op == "Conv" || one.Op == "Gemm") && at == 2, one.Op == "Add",
			one.Op == "BatchNormalization" && (at == 2 || at == 3):
			return "offset"
		}
	}
	return "scale"
}

// model puts the network together again.
func (n *network) model() ([]byte, error) {
	var graph []byte
	for _, one := range n.nodes {
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphNode, one.message)
	}
	graph = onnxwire.AppendText(graph, onnxwire.GraphName, "planted")
	for _, name := range n.order {
		message, err := onnxpb.Append(nil, name, n.weights[name])
		if err != nil {
			return nil, err
		}
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInitializer, message)
	}
	for _, v := range n.wire.Graph.Inputs {
		if n.weights[v.Name] == nil {
			graph = onnxwire.AppendMessage(graph, onnxwire.GraphInput, n.bytes(v.Span))
		}
	}
	for _, v := range n.wire.Graph.Outputs {
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphOutput, n.bytes(v.Span))
	}
	const irVersion = 8 // from 4 on, weights need not be inputs
	model := onnxwire.AppendVarint(nil, onnxwire.ModelIRVersion, irVersion)
	for _, o := range n.wire.Opsets {
		opset := onnxwire.AppendVarint(onnxwire.AppendText(nil, 1, o.Domain), 2, uint64(o.Version))
		model = onnxwire.AppendMessage(model, onnxwire.ModelOpset, opset)
	}
	return onnxwire.AppendMessage(model, onnxwire.ModelGraph, graph), nil
}

// Field numbers of NodeProto.
const (
	nodeInput protowire.Number = 1
	nodeOp    protowire.Number = 4
)

// rewritten is the node with another operator and other inputs; attributes stay.
func (one node) rewritten(op string, inputs []string) node {
	var message []byte
	for _, name := range inputs {
		message = onnxwire.AppendText(message, nodeInput, name)
	}
	message = onnxwire.AppendText(message, nodeOp, op)
	for rest := one.message; len(rest) > 0; {
		number, _, size := protowire.ConsumeField(rest)
		if size < 0 {
			panic("a node that was scanned is whole")
		}
		if number != nodeInput && number != nodeOp {
			message = append(message, rest[:size]...)
		}
		rest = rest[size:]
	}
	one.Op, one.Inputs, one.message = op, inputs, message
	return one
}
