package loaders

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// CutSuffix is appended to the name of a tensor that is both an input and an output of [Model.Cut].
const CutSuffix = "/own"

// Cut returns the part of the model that computes outputs from inputs. The result is a complete,
// valid model: the required nodes in graph order, their initializers, the opset imports and the
// functions. It refers to the same external data as the original; see [Model.Dir].
//
// Inputs need a name and a tensor type; some engines also need a shape. Cut drops inputs that no
// output depends on, and adds inputs of the original model that the nodes still need, so feed the
// result's [Model.Inputs]. Outputs need only a name; a missing type is taken from the model's
// declarations.
//
// If a tensor that a node computes is both an input and an output, the output has the tensor's name
// with [CutSuffix] appended, and all nodes that read the tensor read the input. If every tensor is
// an input, each node is therefore computed independently of the others. If an input of the
// original model is also an output, it keeps its name as both.
//
// It is an error if a name is unknown, if an input is not a tensor, or if an output cannot be
// computed.
func (m *Model) Cut(inputs, outputs []Value) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	r, done := m.file.Open()
	defer done()
	part, err := m.cut(r, inputs, outputs)
	if err != nil {
		return nil, m.file.Located(fmt.Errorf("cut: %w", err))
	}
	return FromFile(m.file.Derive(part)), nil
}

// cut contains the state of one call of [Model.Cut].
type cut struct {
	*onnxfile.Needs
	model *Model
	given map[string]onnxwire.Type
	order []string // names in given, in the caller's order
}

func (m *Model) cut(r *onnxwire.Reader, inputs, outputs []Value) (*onnxfile.Spliced, error) {
	c := &cut{Needs: m.file.Needs(r), model: m, given: map[string]onnxwire.Type{}}
	if r.Err() != nil {
		return nil, r.Err()
	}
	for _, v := range inputs {
		if !c.Has(v.Name) {
			return nil, fmt.Errorf("the graph has no tensor %q to use as an input", v.Name)
		}
		wire, err := v.WireType()
		if err != nil {
			return nil, err
		}
		if _, twice := c.given[v.Name]; !twice {
			c.order = append(c.order, v.Name)
		}
		c.given[v.Name], c.Given[v.Name] = wire, true
	}
	if err := c.Reach(Names(outputs)); err != nil {
		return nil, err
	}
	graph, err := c.graphContent(outputs)
	if err != nil {
		return nil, err
	}
	return m.around(graph), r.Err()
}

// around wraps a graph in a model that has m's opset imports and functions.
func (m *Model) around(graph *onnxfile.Spliced) *onnxfile.Spliced {
	s := m.file.Structure
	model := m.file.Splice()
	model.Write(onnxwire.AppendVarint(nil, onnxwire.ModelIRVersion, uint64(s.IRVersion)))
	model.Embed(onnxwire.ModelGraph, graph)
	for _, o := range s.Opsets { // OpenVINO reads no model with two of them before the graph
		model.Write(onnxwire.AppendOpset(nil, o))
	}
	for i := range s.Functions {
		model.Message(onnxwire.ModelFunction, s.Functions[i].Span)
	}
	return model
}

func (c *cut) graphContent(outputs []Value) (*onnxfile.Spliced, error) {
	out := c.model.file.Splice()
	rename := map[string]string{}
	for name := range c.given {
		if c.Has(name + CutSuffix) {
			return nil, fmt.Errorf("the model already has a tensor %q", name+CutSuffix)
		}
		if _, made := c.Producer[name]; made {
			rename[name] = name + CutSuffix
		}
	}
	c.writeNodes(out, rename)
	name := c.Graph.Name
	if name == "" {
		name = "cut" // a graph without a name is not valid
	}
	out.Write(onnxwire.AppendText(nil, onnxwire.GraphName, name))
	for _, i := range slices.Sorted(maps.Keys(c.Weights)) {
		t := &c.Graph.Initializers[i]
		out.Message(t.Field(), t.Span)
	}
	for _, i := range slices.Sorted(maps.Keys(c.Declares)) {
		out.Message(onnxwire.GraphInput, c.Graph.Inputs[i].Span)
	}
	for _, name := range c.order {
		if t := c.given[name]; c.Used[name] {
			out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphInput, onnxwire.AppendValue(nil, name, &t)))
		}
	}
	c.writeOutputs(out, outputs, rename)
	for v := range c.Reader.Values(c.Graph.Values) {
		node, made := c.Producer[v.Name]
		if _, given := c.given[v.Name]; made && c.Nodes[node] && !given {
			out.Message(onnxwire.GraphValueInfo, v.Span)
		}
	}
	return out, nil
}

// writeNodes copies the required nodes. It decodes them without their attributes. If a required
// node also computes a tensor that is now an input, writeNodes gives that output a new name.
func (c *cut) writeNodes(out *onnxfile.Spliced, rename map[string]string) {
	for _, i := range slices.Sorted(maps.Keys(c.Nodes)) {
		n := c.Reader.Node(c.Graph.Nodes[i])
		if !slices.ContainsFunc(n.Outputs, func(name string) bool { return rename[name] != "" }) {
			out.Message(onnxwire.GraphNode, n.Span)
			continue
		}
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode,
			onnxwire.RewriteNode(c.Reader.Bytes(n.Span), nil, rename)))
	}
}

// writeOutputs declares each output with the most specific type that is known for it.
func (c *cut) writeOutputs(out *onnxfile.Spliced, outputs []Value, rename map[string]string) {
	known, err := c.model.wireTypes(outputs)
	c.Reader.Fail(err)
	for _, v := range outputs {
		t, err := v.WireType()
		if err != nil { // no type given: use the declared type, or leave the output untyped
			t = known[v.Name]
		}
		name := cmp.Or(rename[v.Name], v.Name)
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphOutput, onnxwire.AppendValue(nil, name, &t)))
	}
}
