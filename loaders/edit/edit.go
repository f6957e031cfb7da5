package edit

import (
	"fmt"
	"math"
	"slices"

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
	// Index of the [loaders.Node] counts these calls from 0. Attributes then have no effect.
	Inside func(loaders.Node) (NodeEdit, error)
}

// NewNode describes a node to insert. The name may be empty; if set, it must differ from the names
// of all other nodes.
type NewNode struct {
	Op, Domain, Name string // the domain "" is ONNX's own
	Inputs           []string
	Outputs          []string
	To               tensor.ElementType // for Cast
	Value            *tensor.Tensor     // for Constant
	// Attributes are further attributes, in order.
	Attributes []NodeAttribute
	// If Like is true, the new node has the operator, domain and attributes, including bodies, of
	// the edited node. Everything but Inputs and Outputs is then ignored.
	Like bool
}

// NodeAttribute is the name and the value of an attribute. Values are int64, float32, string, a
// slice of one of these types, or a tensor.
type NodeAttribute struct {
	Name  string
	Value any
}

// Nodes returns the model with nodes changed and added. It calls change for each node of the graph,
// in order, but not for nodes in bodies (see [NodeEdit.Inside]) and functions. External weights
// stay in their files. If change returns an error, so does Nodes. It is also an error if an added
// tensor or Cast has an element type that ONNX lacks.
func Nodes(m *loaders.Model, change func(loaders.Node) (NodeEdit, error)) (*loaders.Model, error) {
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	return rewrite(m, func(r *rewriting) {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if !isNode(in, f) {
				return false
			}
			edit, err := change(nodes[0])
			nodes = nodes[1:]
			r.Fail(err)
			edit.write(r, out, f)
			return true
		}
	})
}

func (e *NodeEdit) write(r *rewriting, out *spliced, f onnxwire.Field) {
	var message []byte
	changes := e.Inside == nil && len(e.Inputs)+len(e.Outputs)+len(e.Attributes) > 0
	if changes || len(e.Before)+len(e.After) > 0 {
		message = r.Bytes(f.Body)
	}
	writeNodes(r, out, e.Before, message)
	switch {
	case e.Inside != nil:
		e.bodies(r, out, f)
	case !changes:
		out.Copy(f.Whole)
	default:
		changed := onnxwire.RewriteNode(message, e.Inputs, e.Outputs)
		for _, a := range e.Attributes {
			changed = onnxwire.AppendMessage(onnxwire.WithoutAttribute(changed, a.Name),
				onnxwire.NodeAttribute, a.message(r))
		}
		out.WriteMessage(onnxwire.GraphNode, changed)
	}
	writeNodes(r, out, e.After, message)
}

// bodies writes the node with its tensors renamed, and edits the nodes of its bodies with
// [NodeEdit.Inside].
func (e *NodeEdit) bodies(r *rewriting, out *spliced, f onnxwire.Field) {
	outer, next := r.Change, 0
	defer func() { r.Change = outer }()
	r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
		switch {
		case isNode(in, f):
			n := r.Node(f.Body)
			edit, err := e.Inside(loaders.Node{Index: next, Name: n.Name, Op: n.Op, Domain: n.Domain,
				Inputs: n.Inputs, Outputs: n.Outputs})
			next++
			r.Fail(err)
			edit.write(r, out, f)
		case in == onnxwire.NodeMessage && f.Number == onnxwire.NodeInput:
			return rename(r, out, f, e.Inputs)
		case in == onnxwire.NodeMessage && f.Number == onnxwire.NodeOutput:
			return rename(r, out, f, e.Outputs)
		case in == onnxwire.NodeMessage && f.Number == onnxwire.NodeAttribute,
			in.Member(f.Number) == onnxwire.GraphMessage:
			r.Enter(out, in, f)
		default:
			return false
		}
		return true
	}
	r.Enter(out, onnxwire.GraphMessage, f)
}

// rename writes the new name of the tensor that a field names. It returns false if the name stays.
func rename(r *rewriting, out *spliced, f onnxwire.Field, names map[string]string) bool {
	other := names[string(r.Bytes(f.Body))]
	if other != "" {
		out.Write(onnxwire.AppendText(nil, f.Number, other))
	}
	return other != ""
}

// writeNodes writes the added nodes. edited is the NodeProto that [NewNode.Like] copies.
func writeNodes(r *rewriting, out *spliced, nodes []NewNode, edited []byte) {
	for i := range nodes {
		out.WriteMessage(onnxwire.GraphNode, nodes[i].message(r, edited))
	}
}

// Values of AttributeProto.AttributeType.
const (
	isFloat = iota + 1
	isInt
	isString
	isTensor
	_ // a graph
	isFloats
	isInts
	isStrings
)

// message encodes the node as a NodeProto.
func (n *NewNode) message(r *rewriting, edited []byte) (message []byte) {
	for _, name := range n.Inputs {
		message = onnxwire.AppendText(message, onnxwire.NodeInput, name)
	}
	for _, name := range n.Outputs {
		message = onnxwire.AppendText(message, onnxwire.NodeOutput, name)
	}
	if n.Like {
		return append(message, onnxwire.Operation(edited)...)
	}
	if n.Name != "" {
		message = onnxwire.AppendText(message, onnxwire.NodeName, n.Name)
	}
	message = onnxwire.AppendText(message, onnxwire.NodeOp, n.Op)
	attributes := slices.Clone(n.Attributes)
	if n.Value != nil {
		attributes = append(attributes, NodeAttribute{"value", n.Value})
	}
	if n.To.Valid() {
		number := onnxfile.NumberOf(n.To)
		if number < 0 {
			r.Fail(fmt.Errorf("ONNX has no element type %v to cast to", n.To))
		}
		attributes = append(attributes, NodeAttribute{"to", int64(number)})
	}
	for _, a := range attributes {
		message = onnxwire.AppendMessage(message, onnxwire.NodeAttribute, a.message(r))
	}
	if n.Domain != "" {
		message = onnxwire.AppendText(message, onnxwire.NodeDomain, n.Domain)
	}
	return message
}

// message encodes the attribute as an AttributeProto.
func (a NodeAttribute) message(r *rewriting) []byte {
	b := onnxwire.AppendText(nil, onnxwire.AttributeName, a.Name)
	appendFloat := func(number protowire.Number, v float32) {
		b = protowire.AppendFixed32(protowire.AppendTag(b, number, protowire.Fixed32Type),
			math.Float32bits(v))
	}
	kind := uint64(0)
	switch v := a.Value.(type) {
	case int64:
		kind, b = isInt, onnxwire.AppendVarint(b, onnxwire.AttributeInt, uint64(v))
	case float32:
		kind = isFloat
		appendFloat(onnxwire.AttributeFloat, v)
	case string:
		kind, b = isString, onnxwire.AppendText(b, onnxwire.AttributeString, v)
	case *tensor.Tensor:
		value, err := onnxpb.Append(nil, "", v)
		r.Fail(err)
		kind, b = isTensor, onnxwire.AppendMessage(b, onnxwire.AttributeTensor, value)
	case []int64:
		kind = isInts
		for _, one := range v {
			b = onnxwire.AppendVarint(b, onnxwire.AttributeInts, uint64(one))
		}
	case []float32:
		kind = isFloats
		for _, one := range v {
			appendFloat(onnxwire.AttributeFloats, one)
		}
	case []string:
		kind = isStrings
		for _, one := range v {
			b = onnxwire.AppendText(b, onnxwire.AttributeStrings, one)
		}
	default:
		r.Fail(fmt.Errorf("attribute %s: %T is neither int64, float32, string nor a list of these",
			a.Name, a.Value))
	}
	return onnxwire.AppendVarint(b, onnxwire.AttributeKind, kind)
}
