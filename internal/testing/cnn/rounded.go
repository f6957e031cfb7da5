package cnn

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// rounded returns a copy of the network. It replaces each float32 weight with the result of weight,
// and calls round after each node to append the nodes that round an output.
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
		one.Outputs, one.message = outputs, onnxwire.RewriteNode(one.message, nil, exact)
		rounded.nodes = append(rounded.nodes, one)
		for _, output := range read {
			if exact[output] != "" {
				round(rounded, output)
			}
		}
	}
	return rounded, nil
}

// read reports whether the named tensor is read by a node or is an output of the network.
func (n *Network) read(name string) bool {
	return slices.ContainsFunc(n.nodes, func(one node) bool {
		return slices.Contains(one.Inputs, name)
	}) || slices.ContainsFunc(n.wire.Graph.Outputs, func(v onnxwire.Value) bool {
		return v.Name == name
	})
}

// added returns a node without attributes, named after its output.
func added(op, to string, inputs ...string) node {
	message := onnxwire.AppendText(nil, onnxwire.NodeOutput, to)
	message = onnxwire.AppendText(message, onnxwire.NodeName, to)
	return node{onnxwire.Node{Name: to, Outputs: []string{to}}, message}.rewritten(op, inputs)
}
