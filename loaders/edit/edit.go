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

// NodeEdit describes a change to one node, for [Nodes].
type NodeEdit struct {
	// Inputs and Outputs map the names of tensors that the node reads and returns to new names. In
	// the node's bodies, names do not change.
	Inputs, Outputs map[string]string
	// Attributes are set on the node. Each replaces the node's attribute of the same name.
	Attributes []NodeAttribute
	// Before and After are nodes to insert before and after this node, in order.
	Before, After []NewNode
	// Inside, if not nil, is called for each node of the node's bodies, one body after the other. The
	// Index of the [loaders.Node] counts these calls from 0. Inputs, Outputs and Attributes then have
	// no effect.
	Inside func(loaders.Node) (NodeEdit, error)
}

// NewNode describes a node to insert. Its operator is one of ONNX's own. The node gets no name, to
// avoid conflicts.
type NewNode struct {
	Op      string
	Inputs  []string
	Outputs []string
	To      tensor.ElementType // for Cast
	Value   *tensor.Tensor     // for Constant
	// Attributes are further attributes, in order.
	Attributes []NodeAttribute
	// If Like is true, the new node has the operator, domain and attributes, including bodies, of
	// the edited node. Op, To and Value are then ignored.
	Like bool
}

// Nodes returns the model with nodes changed and added. It calls change for each node of the graph,
// in order, but not for nodes in bodies (see [NodeEdit.Inside]) and functions. External weights
// stay in their files. If change returns an error, so does Nodes. It is also an error if ONNX lacks
// an element type.
func Nodes(m *loaders.Model, change func(loaders.Node) (NodeEdit, error)) (*loaders.Model, error) {
	return rewriteNodes(m, func(r *rewriting, out *spliced, n loaders.Node, f onnxwire.Field) error {
		edit, err := change(n)
		if err != nil {
			return err
		}
		return edit.write(r, out, f)
	})
}

func (e *NodeEdit) write(r *rewriting, out *spliced, f onnxwire.Field) (err error) {
	var message []byte
	if len(e.Before)+len(e.Inputs)+len(e.Outputs)+len(e.Attributes)+len(e.After) > 0 {
		if message, err = onnxfile.ReadSpan(r.Source, f.Body); err != nil {
			return err
		}
	}
	if err := writeNodes(out, e.Before, message); err != nil {
		return err
	}
	switch {
	case e.Inside != nil:
		if err := e.bodies(r, out, f); err != nil {
			return err
		}
	case len(e.Inputs)+len(e.Outputs)+len(e.Attributes) == 0:
		out.Copy(f.Whole)
	default:
		changed := onnxwire.RewriteNode(message, e.Inputs, e.Outputs)
		for i := range e.Attributes {
			attribute, err := e.Attributes[i].message()
			if err != nil {
				return err
			}
			changed = onnxwire.AppendMessage(onnxwire.WithoutAttribute(changed, e.Attributes[i].Name),
				nodeAttribute, attribute)
		}
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, changed))
	}
	return writeNodes(out, e.After, message)
}

// bodies writes the node, and edits the nodes of its bodies with Inside.
func (e *NodeEdit) bodies(r *rewriting, out *spliced, f onnxwire.Field) error {
	outer, next := r.Change, 0
	defer func() { r.Change = outer }()
	r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
		switch {
		case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphNode:
			n, err := r.Reader.Node(f.Body)
			if err != nil {
				return false, err
			}
			edit, err := e.Inside(loaders.Node{Index: next, Name: n.Name, Op: n.Op, Domain: n.Domain,
				Inputs: n.Inputs, Outputs: n.Outputs})
			if next++; err != nil {
				return false, err
			}
			return true, edit.write(r, out, f)
		case in == onnxwire.NodeMessage && f.Number == nodeAttribute,
			in.Member(f.Number) == onnxwire.GraphMessage:
			return true, r.Enter(out, in, f)
		}
		return false, nil
	}
	return r.Enter(out, onnxwire.GraphMessage, f)
}

// writeNodes writes the added nodes. edited is the NodeProto that [NewNode.Like] copies.
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

// Field numbers of NodeProto and AttributeProto, and attribute types.
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

// message encodes the node as a NodeProto.
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
	for i := range n.Attributes {
		attribute, err := n.Attributes[i].message()
		if err != nil {
			return nil, err
		}
		message = onnxwire.AppendMessage(message, nodeAttribute, attribute)
	}
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

// valueAttribute encodes a Constant's value as an AttributeProto.
func valueAttribute(t *tensor.Tensor) ([]byte, error) {
	value, err := onnxpb.Append(nil, "", t)
	attribute := onnxwire.AppendText(nil, attributeName, "value")
	attribute = onnxwire.AppendMessage(attribute, attributeTensor, value)
	return onnxwire.AppendVarint(attribute, attributeType, attributeIsTensor), err
}
