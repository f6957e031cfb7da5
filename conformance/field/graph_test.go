package field_test

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// These are field numbers of onnx.proto.
const (
	modelGraph protowire.Number = 7

	graphNode        protowire.Number = 1
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12

	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOp        protowire.Number = 4
	nodeAttribute protowire.Number = 5
	nodeDomain    protowire.Number = 7

	attributeName   protowire.Number = 1
	attributeFloat  protowire.Number = 2
	attributeInt    protowire.Number = 3
	attributeString protowire.Number = 4
	attributeTensor protowire.Number = 5
	attributeGraph  protowire.Number = 6
	attributeFloats protowire.Number = 7
	attributeInts   protowire.Number = 8
	attributeType   protowire.Number = 20
)

// part is one field of a message.
type part struct {
	number protowire.Number
	raw    []byte // tag and value
	value  []byte // of a message, text or packed list
	word   uint64 // of an integer or float
}

// split splits a message into fields, keeping their order.
func split(message []byte) ([]part, error) {
	var parts []part
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		size := protowire.ConsumeFieldValue(number, kind, message[n:])
		if size < 0 {
			return nil, protowire.ParseError(size)
		}
		p := part{number: number, raw: message[:n+size]}
		switch rest := message[n : n+size]; kind {
		case protowire.BytesType:
			p.value, _ = protowire.ConsumeBytes(rest)
		case protowire.VarintType:
			p.word, _ = protowire.ConsumeVarint(rest)
		case protowire.Fixed32Type:
			word, _ := protowire.ConsumeFixed32(rest)
			p.word = uint64(word)
		}
		parts, message = append(parts, p), message[n+size:]
	}
	return parts, nil
}

// graph is a parsed model for planting faults. Everything but nodes and initializers keeps the
// exporter's bytes.
type graph struct {
	before, after []byte // model fields around its graph
	nodes         []node
	rest          []byte // other fields of the graph
	weights       map[string]*tensor.Tensor
	order         []string // of weights
	inputs        []string

	outer     *graph // the graph around a body, and the body's place in it
	at        int
	attribute string
}

// node is one node of the graph.
type node struct {
	name, op, domain string
	inputs, outputs  []string
	attributes       map[string][]part
	rest             []byte // all other fields
	written          []byte // the attributes' fields
}

// newGraph parses a model.
func newGraph(model []byte) (*graph, error) {
	g := &graph{weights: map[string]*tensor.Tensor{}}
	parts, err := split(model)
	if err != nil {
		return nil, err
	}
	found := false
	for _, p := range parts {
		switch {
		case p.number == modelGraph && found:
			return nil, fmt.Errorf("the graph occurs in several fields")
		case p.number == modelGraph:
			found = true
			if err := g.read(p.value); err != nil {
				return nil, err
			}
		case found:
			g.after = append(g.after, p.raw...)
		default:
			g.before = append(g.before, p.raw...)
		}
	}
	return g, nil
}

func (g *graph) read(message []byte) error {
	parts, err := split(message)
	if err != nil {
		return err
	}
	for _, p := range parts {
		switch p.number {
		case graphNode:
			n, err := newNode(p.value)
			if err != nil {
				return err
			}
			g.nodes = append(g.nodes, n)
		case graphInitializer:
			name, value, err := onnxpb.Tensor(p.value)
			if err != nil {
				return err
			}
			g.set(name, value)
		case graphInput:
			inside, err := split(p.value)
			if err != nil {
				return err
			}
			g.inputs = append(g.inputs, string(inside[0].value))
			fallthrough
		default:
			g.rest = append(g.rest, p.raw...)
		}
	}
	return nil
}

func newNode(message []byte) (n node, err error) {
	parts, err := split(message)
	if err != nil {
		return n, err
	}
	n.attributes = map[string][]part{}
	for _, p := range parts {
		switch p.number {
		case nodeInput:
			n.inputs = append(n.inputs, string(p.value))
		case nodeOutput:
			n.outputs = append(n.outputs, string(p.value))
		case nodeOp:
			n.op = string(p.value)
		case nodeAttribute:
			inside, err := split(p.value)
			if err != nil {
				return n, err
			}
			n.attributes[text(inside, attributeName)] = inside
			n.written = append(n.written, p.raw...)
		default:
			if p.number == nodeName {
				n.name = string(p.value)
			}
			if p.number == nodeDomain {
				n.domain = string(p.value)
			}
			n.rest = append(n.rest, p.raw...)
		}
	}
	return n, nil
}

func text(parts []part, number protowire.Number) string {
	for _, p := range parts {
		if p.number == number {
			return string(p.value)
		}
	}
	return ""
}

// bodies lists the bodies of nodes that have at least this many nodes.
func (g *graph) bodies(least int) (list []*graph, err error) {
	for i := range g.nodes {
		for _, name := range []string{"then_branch", "else_branch", "body"} {
			f, ok := g.nodes[i].attribute(name, attributeGraph)
			if !ok {
				continue
			}
			body := &graph{weights: maps.Clone(g.weights), outer: g, at: i, attribute: name}
			if err := body.read(f.value); err != nil {
				return nil, err
			}
			if len(body.nodes) >= least {
				list = append(list, body)
			}
		}
	}
	return list, nil
}

// hold turns the values of Constant nodes into weights.
func (g *graph) hold() error {
	for i := range g.nodes {
		n := &g.nodes[i]
		f, ok := n.attribute("value", attributeTensor)
		if n.op != "Constant" || !ok {
			continue
		}
		_, value, err := onnxpb.Tensor(f.value)
		if err != nil {
			return err
		}
		g.weights[n.outputs[0]] = value
	}
	return nil
}

// holder returns the Constant node with the named value, or -1.
func (g *graph) holder(name string) int {
	return slices.IndexFunc(g.nodes, func(n node) bool {
		return n.op == "Constant" && slices.Contains(n.outputs, name)
	})
}

// set adds or replaces an initializer, or the value of a Constant node.
func (g *graph) set(name string, value *tensor.Tensor) {
	if i := g.holder(name); i >= 0 {
		message, err := onnxpb.Append(nil, "", value)
		if err != nil {
			panic(err) // it was read from such a message
		}
		const isTensor = 4 // AttributeProto.TENSOR
		g.nodes[i].attributes = maps.Clone(g.nodes[i].attributes)
		g.nodes[i].with("value", onnxwire.AppendVarint(
			onnxwire.AppendMessage(nil, attributeTensor, message), attributeType, isTensor))
		g.weights[name] = value
		return
	}
	if !slices.Contains(g.order, name) {
		g.order = append(g.order, name)
	}
	g.weights[name] = value
}

// model encodes the model.
func (g *graph) model() ([]byte, error) {
	inside, err := g.content()
	if err != nil {
		return nil, err
	}
	if g.outer != nil {
		const isGraph = 5 // AttributeProto.GRAPH
		g.outer.nodes[g.at].with(g.attribute, onnxwire.AppendVarint(
			onnxwire.AppendMessage(nil, attributeGraph, inside), attributeType, isGraph))
		return g.outer.model()
	}
	return append(onnxwire.AppendMessage(slices.Clone(g.before), modelGraph, inside), g.after...), nil
}

// content encodes the graph.
func (g *graph) content() ([]byte, error) {
	var inside []byte
	for _, n := range g.nodes {
		inside = onnxwire.AppendMessage(inside, graphNode, n.message())
	}
	for _, name := range g.order {
		message, err := onnxpb.Append(nil, name, g.weights[name])
		if err != nil {
			return nil, err
		}
		inside = onnxwire.AppendMessage(inside, graphInitializer, message)
	}
	return append(inside, g.rest...), nil
}

func (n *node) message() []byte {
	var b []byte
	for _, name := range n.inputs {
		b = onnxwire.AppendText(b, nodeInput, name)
	}
	for _, name := range n.outputs {
		b = onnxwire.AppendText(b, nodeOutput, name)
	}
	b = onnxwire.AppendText(b, nodeOp, n.op)
	return append(append(b, n.written...), n.rest...)
}

// attribute finds a field of one of the node's attributes.
func (n *node) attribute(name string, number protowire.Number) (part, bool) {
	for _, p := range n.attributes[name] {
		if p.number == number {
			return p, true
		}
	}
	return part{}, false
}

// with adds or replaces an attribute of the node.
func (n *node) with(name string, fields []byte) {
	var written []byte
	parts, err := split(n.written)
	if err != nil {
		panic(err) // newNode has already parsed it
	}
	for _, p := range parts {
		inside, err := split(p.value)
		if err == nil && text(inside, attributeName) != name {
			written = append(written, p.raw...)
		}
	}
	message := append(onnxwire.AppendText(nil, attributeName, name), fields...)
	n.written = onnxwire.AppendMessage(written, nodeAttribute, message)
	n.attributes[name], _ = split(message)
}
