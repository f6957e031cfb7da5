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

// InsertedNode describes the node to insert, for [Insert].
type InsertedNode struct {
	Op, Domain, Name string
	Inputs, Outputs  []string
	// Attributes are in order. Values are int64, float32, string, or a slice of one of these types.
	Attributes []NodeAttribute
	// Constants are weights to add for the node. The node's inputs refer to them by name; the graph
	// must not use these names yet.
	Constants []tensor.Entry
}

// NodeAttribute is the name and the value of an attribute.
type NodeAttribute struct {
	Name  string
	Value any
}

// Insert returns the model with a node that computes existing tensors. The node replaces the nodes
// that computed its outputs; nodes that become redundant are removed. If a tensor is both an input
// and an output of the node, the node is inserted after it: the node reads the tensor, and all
// nodes that read the tensor before now read the node's output. Declared types and shapes of
// tensors that depend on the node are dropped.
//
// It is an error if a tensor is unknown, if an attribute's type is not supported, if the node makes
// a cycle, or if it is inserted after a tensor that is both an input and an output of the model.
func Insert(m *loaders.Model, n InsertedNode) (*loaders.Model, error) {
	names, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	brought := map[string]bool{}
	for _, c := range n.Constants {
		if names[c.Name] {
			return nil, m.File().Located(fmt.Errorf("insert: tensor %q exists already", c.Name))
		}
		brought[c.Name] = true
	}
	for _, name := range slices.Concat(n.Inputs, n.Outputs) {
		if name != "" && !names[name] && !brought[name] {
			return nil, m.File().Located(fmt.Errorf("insert: no tensor %q in the graph", name))
		}
	}
	for name := range brought {
		names[name] = true
	}
	if len(n.Outputs) == 0 {
		return nil, m.File().Located(fmt.Errorf("insert: a node %s without outputs computes "+
			"nothing", n.Op))
	}
	inserted, err := rewrite(m, func(r *rewriting) error {
		i, err := newInserting(m, r, n, names)
		if err == nil {
			r.Change = i.change
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if inserted, err = Sorted(inserted); err != nil {
		return nil, err
	}
	return Cleanup(inserted)
}

// inserting writes a copy of a model with one additional node.
type inserting struct {
	*rewriting
	at     int               // number of nodes before the inserted one
	seen   int               // number of nodes copied so far
	node   []byte            // the NodeProto
	brings []byte            // graph fields with the node's weights
	makers map[string]string // new names of node outputs
	reads  map[string]string // new names of node inputs
	stale  map[string]bool   // tensors whose declarations may be wrong now
}

// newInserting finds where to insert the node, and which names to change in other nodes.
func newInserting(m *loaders.Model, r *rewriting, n InsertedNode, names map[string]bool) (
	*inserting, error) {
	i := &inserting{rewriting: r, makers: map[string]string{}, reads: map[string]string{},
		stale: map[string]bool{}}
	c, err := m.File().Needs(r.Source)
	if err != nil {
		return nil, err
	}
	fresh := func(name, suffix string) string {
		for name += suffix; names[name]; {
			name += "_"
		}
		names[name] = true
		return name
	}
	inputs, outputs := slices.Clone(n.Inputs), slices.Clone(n.Outputs)
	for k, name := range n.Outputs {
		i.stale[name] = true
		_, made := c.Producer[name]
		switch own := slices.Index(n.Inputs, name); {
		case made:
			i.makers[name] = fresh(name, "/before")
			if own >= 0 {
				inputs[own] = i.makers[name]
			}
		case own < 0:
			return nil, fmt.Errorf("insert: %q is an input or weight, so no node can compute it", name)
		default:
			if slices.ContainsFunc(c.Graph.Outputs, func(v onnxwire.Value) bool { return v.Name == name }) {
				return nil, fmt.Errorf("insert: %q is an input and an output of the model", name)
			}
			outputs[k] = fresh(name, "/after")
			i.reads[name] = outputs[k]
		}
	}
	for _, name := range n.Inputs {
		if maker, made := c.Producer[name]; made {
			i.at = max(i.at, maker+1)
		}
	}
	if i.node, err = n.message(inputs, outputs); err != nil {
		return nil, err
	}
	for _, c := range n.Constants {
		weight, err := onnxpb.Append(nil, c.Name, c.Tensor)
		if err != nil {
			return nil, err
		}
		i.brings = onnxwire.AppendMessage(i.brings, onnxwire.GraphInitializer, weight)
	}
	return i, onnxfile.Each(r.Reader, &c.Graph.Nodes, func(k int, n *onnxwire.Node) error {
		inside, err := onnxfile.Captured(n, r.Reader)
		if slices.ContainsFunc(append(inside, n.Inputs...), func(s string) bool { return i.stale[s] }) {
			for _, name := range n.Outputs {
				i.stale[name] = true
			}
		}
		return err
	})
}

// change inserts the node and renames tensors.
func (i *inserting) change(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
	switch {
	case in == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph && i.brings != nil:
		graph, err := i.Message(f.Body, onnxwire.GraphMessage)
		if err != nil {
			return false, err
		}
		graph.Write(i.brings)
		i.brings = nil
		out.Embed(f.Number, graph)
		return true, nil
	case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphValueInfo:
		v, err := i.Reader.Value(f.Body)
		return i.stale[v.Name], err
	case in != onnxwire.GraphMessage || f.Number != onnxwire.GraphNode:
		return false, nil
	}
	if i.seen == i.at && i.node != nil {
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, i.node))
		i.node = nil
	}
	i.seen++
	node, err := i.renamed(f.Body, onnxwire.NodeMessage, true)
	if err != nil {
		return false, err
	}
	out.Embed(f.Number, node)
	if i.seen == i.at && i.node != nil { // also after the last node
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, i.node))
		i.node = nil
	}
	return true, nil
}

// renamed copies a node with new tensor names, including those in its bodies.
func (i *inserting) renamed(span onnxwire.Span, kind onnxwire.Message, outside bool) (*spliced,
	error) {
	out := i.Splice()
	err := onnxwire.Walk(i.Source, span, func(f onnxwire.Field) error {
		member := kind.Member(f.Number)
		names := i.reads
		if f.Number == onnxwire.NodeOutput {
			names = i.makers
		}
		switch {
		case kind == onnxwire.NodeMessage && (f.Number == nodeInput ||
			f.Number == onnxwire.NodeOutput && outside):
			name, err := onnxfile.ReadSpan(i.Source, f.Body)
			if other := names[string(name)]; other != "" && err == nil {
				out.Write(onnxwire.AppendText(nil, f.Number, other))
				return nil
			}
			out.Copy(f.Whole)
			return err
		case member == onnxwire.AttributeMessage || member == onnxwire.GraphMessage ||
			member == onnxwire.NodeMessage:
			inner, err := i.renamed(f.Body, member, false)
			if err == nil {
				out.Embed(f.Number, inner)
			}
			return err
		}
		out.Copy(f.Whole)
		return nil
	})
	return out, err
}

// message encodes the node as a NodeProto.
func (n *InsertedNode) message(inputs, outputs []string) (message []byte, err error) {
	for _, name := range inputs {
		message = onnxwire.AppendText(message, nodeInput, name)
	}
	for _, name := range outputs {
		message = onnxwire.AppendText(message, onnxwire.NodeOutput, name)
	}
	if n.Name != "" {
		message = onnxwire.AppendText(message, nodeName, n.Name)
	}
	message = onnxwire.AppendText(message, nodeOp, n.Op)
	for _, a := range n.Attributes {
		attribute, err := a.message()
		if err != nil {
			return nil, err
		}
		message = onnxwire.AppendMessage(message, nodeAttribute, attribute)
	}
	if n.Domain != "" {
		message = onnxwire.AppendText(message, nodeDomain, n.Domain)
	}
	return message, nil
}

// These field numbers of NodeProto and AttributeProto, and attribute types, occur only in inserted
// nodes.
const (
	nodeName   protowire.Number = 3
	nodeDomain protowire.Number = 7

	attributeString  protowire.Number = 4
	attributeStrings protowire.Number = 9

	attributeIsFloat   = 1
	attributeIsString  = 3
	attributeIsFloats  = 6
	attributeIsInts    = 7
	attributeIsStrings = 8
)

// message encodes the attribute as an AttributeProto.
func (a *NodeAttribute) message() ([]byte, error) {
	b := onnxwire.AppendText(nil, attributeName, a.Name)
	appendFloat := func(number protowire.Number, v float32) {
		b = protowire.AppendFixed32(protowire.AppendTag(b, number, protowire.Fixed32Type),
			math.Float32bits(v))
	}
	kind := uint64(0)
	switch v := a.Value.(type) {
	case int64:
		kind, b = attributeIsInt, onnxwire.AppendVarint(b, onnxfile.AttributeInt, uint64(v))
	case float32:
		kind = attributeIsFloat
		appendFloat(onnxfile.AttributeFloat, v)
	case string:
		kind, b = attributeIsString, onnxwire.AppendText(b, attributeString, v)
	case []int64:
		kind = attributeIsInts
		for _, one := range v {
			b = onnxwire.AppendVarint(b, onnxfile.AttributeInts, uint64(one))
		}
	case []float32:
		kind = attributeIsFloats
		for _, one := range v {
			appendFloat(onnxfile.AttributeFloats, one)
		}
	case []string:
		kind = attributeIsStrings
		for _, one := range v {
			b = onnxwire.AppendText(b, attributeStrings, one)
		}
	default:
		return nil, fmt.Errorf("attribute %s: %T is neither int64, float32, string nor a list of these",
			a.Name, a.Value)
	}
	return onnxwire.AppendVarint(b, attributeType, kind), nil
}
