package loaders

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Body returns a body of the node with the given [Node.Index] as a model: the graph in its
// attribute "then_branch" or "else_branch" for an If, and "body" for a Loop or a Scan. The model's
// inputs are the tensors that the body reads from the surrounding graph, followed by the body's own
// inputs. Constants of the surrounding graph that the body reads become initializers.
//
// A body need not declare the types of its inputs, but engines need the types: inputs supplies
// them, by name.
func (m *Model) Body(index int, attribute string, inputs ...Value) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	r, done := m.file.Open()
	defer done()
	graph, err := m.body(r, index, attribute, inputs)
	if err = cmp.Or(r.Err(), err); err != nil {
		return nil, m.file.Located(fmt.Errorf("node %d: %w", index, err))
	}
	return FromFile(m.file.Derive(m.around(graph))), nil
}

func (m *Model) body(r *onnxwire.Reader, index int, attribute string, inputs []Value) (
	*onnxfile.Spliced, error) {
	around := m.file.Needs(r)
	if index < 0 || index >= len(around.Graph.Nodes) {
		return nil, fmt.Errorf("there is no such node: the graph has %d nodes", len(around.Graph.Nodes))
	}
	n := r.Node(around.Graph.Nodes[index])
	attributes := r.Attributes(n.Span)
	n.Bodies = slices.DeleteFunc(n.Bodies, func(body onnxwire.Span) bool {
		return !slices.ContainsFunc(attributes, func(a onnxwire.Attribute) bool {
			return a.Name == attribute && a.Span.Start <= body.Start && body.End <= a.Span.End
		})
	})
	if len(n.Bodies) != 1 {
		return nil, fmt.Errorf("%s has no graph %q", onnxfile.OperatorName(n.Domain, n.Op), attribute)
	}
	captured := onnxfile.Captured(n, r)
	declared, err := m.Declared(captured...)
	if err != nil {
		return nil, err
	}
	for _, v := range inputs {
		declared[v.Name] = v
	}
	weights := map[string]*onnxwire.Tensor{}
	for i := range around.Graph.Initializers {
		weights[around.Graph.Initializers[i].Name] = &around.Graph.Initializers[i]
	}
	graph := m.file.Splice()
	for _, name := range captured {
		if w := weights[name]; w != nil {
			graph.Message(w.Field(), w.Span)
			continue
		}
		if at, made := around.Producer[name]; made {
			if value, err := m.constantNode(r, at); err == nil {
				message, err := onnxpb.Append(nil, name, value)
				if err != nil {
					return nil, err
				}
				graph.Write(onnxwire.AppendMessage(nil, onnxwire.GraphInitializer, message))
				continue
			}
		}
		writeInput(graph, declared[name], onnxwire.Value{Name: name})
	}
	for _, v := range r.Body(n.Bodies[0]).Inputs {
		writeInput(graph, declared[v.Name], v)
	}
	for f := range r.Fields(n.Bodies[0]) {
		if f.Number != onnxwire.GraphInput {
			graph.Copy(f.Whole)
		}
	}
	return graph, nil
}

// writeInput declares an input of a graph. The input gets the type of known or, if known has no
// type, its own type.
func writeInput(graph *onnxfile.Spliced, known Value, input onnxwire.Value) {
	t, err := known.WireType()
	if err != nil {
		t = input.Type
	}
	graph.Write(onnxwire.AppendMessage(nil, onnxwire.GraphInput,
		onnxwire.AppendValue(nil, input.Name, &t)))
}
