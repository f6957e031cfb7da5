package loaders

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// ConstantNode returns the value of the graph's Constant node with the given [Node.Index].
// Exporters store weights in Constant nodes as well as in initializers. It is an error if the node
// has another operator, or if its value is sparse or a string.
func (m *Model) ConstantNode(index int) (*tensor.Tensor, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	r, done := m.file.Open()
	defer done()
	value, err := m.constantNode(r, index)
	if err != nil {
		return nil, m.file.Located(fmt.Errorf("node %d: %w", index, err))
	}
	return value, nil
}

func (m *Model) constantNode(r *onnxwire.Reader, index int) (*tensor.Tensor, error) {
	nodes := m.file.Structure.Graph.Nodes
	if index < 0 || index >= len(nodes) {
		return nil, fmt.Errorf("there is no such node: the graph has %d nodes", len(nodes))
	}
	n := r.Node(nodes[index])
	if r.Err() == nil && !onnxfile.IsConstant(n.Domain, n.Op) {
		return nil, fmt.Errorf("expected operator Constant, got %s",
			onnxfile.OperatorName(n.Domain, n.Op))
	}
	value, err := m.file.NodeValue(r, n.Span)
	if err == nil && value == nil {
		err = errors.New("the node's value is not a dense tensor of numbers")
	}
	return value, err
}
