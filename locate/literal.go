package locate

import (
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// literals contains the tensors whose values a side's model contains: initializers, the values of
// Constant nodes, and copies of these by Identity nodes. They are read from the model, because an
// engine would return a separate copy of each, even if fifty Identity nodes share one weight.
type literals struct {
	view
	model  *loaders.Model
	node   map[string]int    // Constant nodes by their output
	weight map[string]string // the initializer or the Constant node's output, by literal
	bytes  map[string]int64  // sizes of initializers
}

// literals returns the tensors whose values the side's model contains. An initializer that is
// replaced by an input of the same name is not one of them.
func (s *side) literals(v view) (*literals, error) {
	l := &literals{view: v, model: s.model, node: map[string]int{}, weight: map[string]string{},
		bytes: map[string]int64{}}
	weights, err := s.model.Initializers()
	if err != nil {
		return nil, err
	}
	for _, w := range weights {
		n, err := w.Shape.Elements()
		if err == nil && all(s.sets, w.Name) == nil {
			l.weight[w.Name] = w.Name
			l.bytes[w.Name] = int64(n) * int64(w.Type.Bits()) / 8
		}
	}
	for i, n := range s.nodes {
		switch {
		case n.Domain != "" || len(n.Outputs) != 1:
		case n.Op == "Constant":
			l.node[n.Outputs[0]], l.weight[n.Outputs[0]] = i, n.Outputs[0]
		case n.Op == "Identity" && l.weight[n.Inputs[0]] != "":
			l.weight[n.Outputs[0]] = l.weight[n.Inputs[0]]
		}
	}
	return l, nil
}

// read returns the value that the model contains for a tensor, given the tensor's name on the
// actual side. It returns nil if the tensor is quantized or the model does not contain its value.
func (l *literals) read(name string) *tensor.Tensor {
	name = l.names.called(name)
	weight, ok := l.weight[name]
	if !ok || l.quantization(name) != nil {
		return nil
	}
	read := l.model.Weight
	if node, ok := l.node[weight]; ok {
		read = func(string) (*tensor.Tensor, error) { return l.model.ConstantNode(node) }
	}
	t, err := read(weight)
	if err != nil {
		return nil // the engine may know its type
	}
	return t
}
