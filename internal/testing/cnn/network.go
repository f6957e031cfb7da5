package cnn

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Network is a model split into nodes and weights, so that they can be changed.
type Network struct {
	wire    *onnxwire.Model
	written []*onnxwire.Node // the decoded nodes of wire
	data    []byte
	batch   int64 // batch size of inputs and outputs; 0 keeps the declared size
	nodes   []node
	weights map[string]*tensor.Tensor
	order   []string // names of the weights
}

// node is one node and its encoding.
type node struct {
	onnxwire.Node
	message []byte
}

// Network splits the model into nodes and weights.
func (t Topology) Network() (*Network, error) {
	source := bytes.NewReader(t.Data)
	wire, err := onnxwire.Scan(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	n := &Network{wire: wire, data: t.Data, weights: map[string]*tensor.Tensor{}}
	for _, w := range wire.Graph.Initializers {
		name, value, err := onnxpb.Tensor(n.bytes(w.Span))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		n.set(name, value)
	}
	r := onnxwire.NewReader(source)
	for _, one := range r.Nodes(wire.Graph.Nodes) {
		n.written = append(n.written, one)
	}
	if r.Err() != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, r.Err())
	}
	for _, one := range n.written {
		if one.Op != "ConstantOfShape" || t.Sown {
			n.nodes = append(n.nodes, node{*one, n.bytes(one.Span)})
			continue
		}
		shape := n.weights[one.Inputs[0]]
		if shape == nil {
			return nil, fmt.Errorf("%s: the shape of weight %s is not a constant", t.Name, one.Outputs[0])
		}
		dims := tensor.Shape{}
		for _, d := range shape.Float64s() {
			dims = append(dims, int(d))
		}
		value, err := n.sow(one.Outputs[0], dims)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		n.set(one.Outputs[0], value)
	}
	return n, nil
}

// Clone returns a copy. It shares the weights' values, which are never modified.
func (n *Network) Clone() *Network {
	return &Network{wire: n.wire, written: n.written, data: n.data, batch: n.batch,
		nodes:   slices.Clone(n.nodes),
		weights: maps.Clone(n.weights), order: slices.Clone(n.order)}
}

// Nodes returns the nodes that compute activations, in graph order. It leaves out nodes that
// compute weights.
func (n *Network) Nodes() []onnxwire.Node {
	nodes := make([]onnxwire.Node, len(n.nodes))
	for i := range n.nodes {
		nodes[i] = n.nodes[i].Node
	}
	return nodes
}

func (n *Network) bytes(s onnxwire.Span) []byte { return n.data[s.Start:s.End] }

func (n *Network) set(name string, value *tensor.Tensor) {
	if n.weights[name] == nil {
		n.order = append(n.order, name)
	}
	n.weights[name] = value
}

// Model encodes the network as an ONNX model.
func (n *Network) Model() ([]byte, error) {
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
			graph = onnxwire.AppendMessage(graph, onnxwire.GraphInput, n.value(v))
		}
	}
	for _, v := range n.wire.Graph.Outputs {
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphOutput, n.value(v))
	}
	const irVersion = 8 // from 4 on, weights need not be inputs
	return onnxwire.AppendModel(nil, irVersion, n.wire.Opsets, graph), nil
}

// value returns the encoded declaration of an input or output.
func (n *Network) value(v onnxwire.Value) []byte {
	if n.batch == 0 {
		return n.bytes(v.Span)
	}
	declared := v.Type
	declared.Dims = slices.Clone(declared.Dims)
	declared.Dims[0] = onnxwire.Dim{Size: n.batch}
	return onnxwire.AppendValue(nil, v.Name, &declared)
}

// Batch changes the batch size of a network that was made for a single image.
func (n *Network) Batch(size int) error {
	for _, v := range slices.Concat(n.wire.Graph.Inputs, n.wire.Graph.Outputs) {
		if n.weights[v.Name] == nil && (len(v.Type.Dims) == 0 || v.Type.Dims[0].Size != 1) {
			return fmt.Errorf("%s has no leading dimension of 1", v.Name)
		}
	}
	for _, one := range n.nodes {
		if one.Op != "Reshape" || n.weights[one.Inputs[1]] == nil {
			continue
		}
		shape, err := tensor.Values[int64](n.weights[one.Inputs[1]])
		if err != nil {
			return fmt.Errorf("the shape of %s: %w", one.Outputs[0], err)
		}
		if n.weights[one.Inputs[0]] == nil && len(shape) > 0 { // reshapes activations, not weights
			shape = slices.Clone(shape)
			shape[0] = int64(size)
			n.weights[one.Inputs[1]] = tensor.Of(shape...)
		}
	}
	n.batch = int64(size)
	return nil
}

// rewritten returns a copy of the node with a new operator and new inputs, but the same attributes.
func (one node) rewritten(op string, inputs []string) node {
	var message []byte
	for _, name := range inputs {
		message = onnxwire.AppendText(message, onnxwire.NodeInput, name)
	}
	message = onnxwire.AppendText(message, onnxwire.NodeOp, op)
	for rest := one.message; len(rest) > 0; {
		number, _, size := protowire.ConsumeField(rest)
		if size < 0 {
			panic("a node was valid protobuf when the model was read, but is not any more")
		}
		if number != onnxwire.NodeInput && number != onnxwire.NodeOp {
			message = append(message, rest[:size]...)
		}
		rest = rest[size:]
	}
	one.Op, one.Inputs, one.message = op, inputs, message
	return one
}

// Depth returns the largest number of weighted layers (Conv, Gemm, MatMul) on a path through the
// network. Rounding errors of that many layers can accumulate.
func (n *Network) Depth() int {
	depth, deepest := map[string]int{}, 0
	for _, one := range n.nodes { // nodes are in an order of execution
		d := 0
		for _, input := range one.Inputs {
			d = max(d, depth[input])
		}
		switch one.Op {
		case "Conv", "Gemm", "MatMul":
			d++
		}
		for _, output := range one.Outputs {
			depth[output] = d
		}
		deepest = max(deepest, d)
	}
	return deepest
}

// Logits returns the name of the tensor with the logits: the input of the network's last Softmax
// or, without a Softmax, the first output.
func (n *Network) Logits() string {
	for _, one := range slices.Backward(n.nodes) {
		if one.Op == "Softmax" {
			return one.Inputs[0]
		}
	}
	return n.wire.Graph.Outputs[0].Name
}
