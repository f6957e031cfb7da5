package cnn

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Stored is the network with its weights and every tensor between its nodes stored as Float16 or
// BFloat16, and computed with in float32: what tensor cores do, on any engine. Float16 overflows
// above 65504. A tensor as its node gave it is called <name>/exact.
//
// All tensors between nodes must be float32, as they are in the nine.
func (n *Network) Stored(format tensor.ElementType) (*Network, error) {
	if format != tensor.Float16 && format != tensor.BFloat16 {
		return nil, fmt.Errorf("want float16 or bfloat16, got %v", format)
	}
	weight := func(w *tensor.Tensor) (*tensor.Tensor, error) {
		short, err := w.Convert(format)
		if err != nil {
			return nil, err
		}
		return short.Convert(tensor.Float32)
	}
	return n.rounded(weight, func(stored *Network, name string) { stored.round(name, format) })
}

// rounded is the network with other weights, where they are float32, and with what round appends
// behind each node, to make a tensor of its exact values.
func (n *Network) rounded(weight func(*tensor.Tensor) (*tensor.Tensor, error),
	round func(n *Network, name string)) (*Network, error) {
	rounded := n.Clone()
	for name, w := range n.weights {
		if w.ElementType() != tensor.Float32 {
			continue
		}
		var err error
		if rounded.weights[name], err = weight(w); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	rounded.nodes = nil
	for _, one := range n.nodes {
		exact, outputs := map[string]string{}, slices.Clone(one.Outputs)
		for i, output := range outputs {
			if n.read(output) {
				exact[output] = output + "/exact"
				outputs[i] = output + "/exact"
			}
		}
		read := one.Outputs
		one.Outputs, one.message = outputs, onnxwire.Rewrite(one.message, exact)
		rounded.nodes = append(rounded.nodes, one)
		for _, output := range read {
			if exact[output] != "" {
				round(rounded, output)
			}
		}
	}
	return rounded, nil
}

// round appends the nodes that make a tensor of its exact values.
func (n *Network) round(name string, format tensor.ElementType) {
	exact := name + "/exact"
	if format == tensor.Float16 {
		const float32Type, float16Type = 1, 10 // of TensorProto
		n.nodes = append(n.nodes, cast(exact, name+"/short", float16Type),
			cast(name+"/short", name, float32Type))
		return
	}
	// Cast takes bfloat16 from opset 13 on only. Veltkamp's splitting leaves 8 bits of 24, rounded to
	// the nearest: with c = x·(2¹⁶+1) they are c − (c − x) (Dekker 1971).
	const factor = "2^16+1"
	n.set(factor, tensor.Of[float32](1<<16+1))
	n.nodes = append(n.nodes, added("Mul", name+"/c", exact, factor),
		added("Sub", name+"/rest", name+"/c", exact),
		added("Sub", name, name+"/c", name+"/rest"))
}

// read reports whether a node or the network's user reads a tensor.
func (n *Network) read(name string) bool {
	return slices.ContainsFunc(n.nodes, func(one node) bool {
		return slices.Contains(one.Inputs, name)
	}) || slices.ContainsFunc(n.wire.Graph.Outputs, func(v onnxwire.Value) bool {
		return v.Name == name
	})
}

// Field numbers of NodeProto and AttributeProto, and an attribute's type.
const (
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeAttribute protowire.Number = 5

	attributeName  protowire.Number = 1
	attributeInt   protowire.Number = 3
	attributeType  protowire.Number = 20
	attributeIsInt                  = 2
)

// cast is a Cast to an element type of ONNX.
func cast(from, to string, elem uint64) node {
	attribute := onnxwire.AppendText(nil, attributeName, "to")
	attribute = onnxwire.AppendVarint(attribute, attributeInt, elem)
	attribute = onnxwire.AppendVarint(attribute, attributeType, attributeIsInt)
	one := added("Cast", to, from)
	one.message = onnxwire.AppendMessage(one.message, nodeAttribute, attribute)
	return one
}

// added is a node without attributes, which is called what it makes.
func added(op, to string, inputs ...string) node {
	var message []byte
	for _, name := range inputs {
		message = onnxwire.AppendText(message, nodeInput, name)
	}
	message = onnxwire.AppendText(message, nodeOutput, to)
	message = onnxwire.AppendText(message, nodeName, to)
	message = onnxwire.AppendText(message, nodeOp, op)
	return node{onnxwire.Node{Name: to, Op: op, Inputs: inputs, Outputs: []string{to}}, message}
}
