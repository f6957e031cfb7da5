package edit

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// NodeEdit is what [Nodes] changes about one node.
type NodeEdit struct {
	// Inputs and Outputs are other names for tensors that the node reads and makes. What bodies of
	// the node read keeps its name.
	Inputs, Outputs map[string]string
	// Before and After are nodes to put before and behind it, in that order.
	Before, After []NewNode
}

// NewNode is a node to put into a graph, of ONNX's own operators. It has no name, so
// that it takes none from others.
type NewNode struct {
	Op      string
	Inputs  []string
	Outputs []string
	To      tensor.ElementType // of a Cast
	Value   *tensor.Tensor     // of a Constant
	// Like gives it the operator, the domain and the attributes of the node that is edited, bodies
	// among them; Op, To and Value say nothing then.
	Like bool
}

// Nodes returns the model with nodes changed and added. change sees each node of the graph, in its
// order, without those in bodies and functions. Weights stay where they are, external ones too.
// Errors: those of change, and element types that ONNX does not have.
func Nodes(m *loaders.Model, change func(loaders.Node) (NodeEdit, error)) (*loaders.Model, error) {
	return rewriteNodes(m, func(r *rewriting, out *spliced, n loaders.Node, f onnxwire.Field) error {
		edit, err := change(n)
		if err != nil {
			return err
		}
		var message []byte
		if len(edit.Before)+len(edit.Inputs)+len(edit.Outputs)+len(edit.After) > 0 {
			if message, err = onnxfile.ReadSpan(r.Source, f.Body); err != nil {
				return err
			}
		}
		if err := writeNodes(out, edit.Before, message); err != nil {
			return err
		}
		if len(edit.Inputs)+len(edit.Outputs) == 0 {
			out.Copy(f.Whole)
		} else {
			changed := onnxwire.RewriteNode(message, edit.Inputs, edit.Outputs)
			out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, changed))
		}
		return writeNodes(out, edit.After, message)
	})
}

// writeNodes adds nodes; edited is the NodeProto that those like it are made of.
func writeNodes(out *spliced, nodes []NewNode, edited []byte) error {
	for i := range nodes {
		message, err := nodes[i].message(edited)
		if err != nil {
			return err
		}
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, message))
	}
	return nil
}

// Fields of NodeProto and AttributeProto, and types of attributes.
const (
	nodeInput     protowire.Number = 1
	nodeOp        protowire.Number = 4
	nodeAttribute protowire.Number = 5

	attributeName   protowire.Number = 1
	attributeTensor protowire.Number = 5
	attributeType   protowire.Number = 20

	attributeIsInt    = 2
	attributeIsTensor = 4
)

// message is the NodeProto.
func (n *NewNode) message(edited []byte) ([]byte, error) {
	var message []byte
	for _, name := range n.Inputs {
		message = onnxwire.AppendText(message, nodeInput, name)
	}
	for _, name := range n.Outputs {
		message = onnxwire.AppendText(message, onnxwire.NodeOutput, name)
	}
	if n.Like {
		return append(message, onnxwire.Operation(edited)...), nil
	}
	message = onnxwire.AppendText(message, nodeOp, n.Op)
	var attribute []byte
	switch {
	case n.Value != nil:
		var err error
		if attribute, err = valueAttribute(n.Value); err != nil {
			return nil, err
		}
	case n.To.Valid():
		number := onnxfile.NumberOf(n.To)
		if number < 0 {
			return nil, fmt.Errorf("ONNX has no element type %v to cast to", n.To)
		}
		attribute = onnxwire.AppendText(nil, attributeName, "to")
		attribute = onnxwire.AppendVarint(attribute, onnxfile.AttributeInt, uint64(number))
		attribute = onnxwire.AppendVarint(attribute, attributeType, attributeIsInt)
	default:
		return message, nil
	}
	return onnxwire.AppendMessage(message, nodeAttribute, attribute), nil
}

// valueAttribute is the AttributeProto of a value.
func valueAttribute(t *tensor.Tensor) ([]byte, error) {
	value, err := onnxpb.Append(nil, "", t)
	attribute := onnxwire.AppendText(nil, attributeName, "value")
	attribute = onnxwire.AppendMessage(attribute, attributeTensor, value)
	return onnxwire.AppendVarint(attribute, attributeType, attributeIsTensor), err
}
