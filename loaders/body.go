package loaders

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Body returns a body of the node with the given [Node.Index] as a model: the graph in its
// attribute "then_branch" or "else_branch" for an If, and "body" for a Loop or a Scan. The model's
// inputs are the tensors that the body reads from the surrounding graph, followed by the body's own
// inputs. Initializers and Constant nodes of the surrounding graph that the body reads are copied
// instead.
//
// Bodies need not declare the types of their inputs and outputs. Engines that need types can run a
// [Model.Cut] of the result, which declares them.
func (m *Model) Body(index int, attribute string) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.file.Open()
	if err != nil {
		return nil, m.file.Located(err)
	}
	defer done()
	graph, err := m.body(source, index, attribute)
	if err != nil {
		return nil, m.file.Located(fmt.Errorf("node %d: %w", index, err))
	}
	return FromFile(m.file.Derive(m.around(graph))), nil
}

func (m *Model) body(source onnxwire.Source, index int, attribute string) (
	*onnxfile.Spliced, error) {
	around, err := m.file.Needs(source)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= around.Graph.Nodes.Len() {
		return nil, fmt.Errorf("the graph has %d nodes", around.Graph.Nodes.Len())
	}
	n, err := around.Reader.Node(around.Graph.Nodes.At(index))
	if err != nil {
		return nil, err
	}
	attributes, err := around.Reader.Attributes(n.Span)
	if err != nil {
		return nil, err
	}
	n.Bodies = slices.DeleteFunc(n.Bodies, func(body onnxwire.Span) bool {
		return !slices.ContainsFunc(attributes, func(a onnxwire.Attribute) bool {
			return a.Name == attribute && a.Span.Start <= body.Start && body.End <= a.Span.End
		})
	})
	if len(n.Bodies) != 1 {
		return nil, fmt.Errorf("%s has no graph %q", onnxfile.OperatorName(n.Domain, n.Op), attribute)
	}
	captured, err := onnxfile.Captured(&n, around.Reader)
	if err != nil {
		return nil, err
	}
	declared, err := m.Declared(captured...)
	if err != nil {
		return nil, err
	}
	weights := map[string]*onnxwire.Tensor{}
	for i := range around.Graph.Initializers {
		weights[around.Graph.Initializers[i].Name] = &around.Graph.Initializers[i]
	}
	graph := m.file.Splice()
	for _, name := range captured {
		if w := weights[name]; w != nil {
			number := onnxwire.GraphInitializer
			if w.Sparse {
				number = onnxwire.GraphSparseInitializer
			}
			graph.Message(number, w.Span)
			continue
		}
		if at, made := around.Producer[name]; made {
			maker, err := around.Reader.Node(around.Graph.Nodes.At(at))
			if err != nil {
				return nil, err
			}
			if onnxfile.IsConstant(maker.Domain, maker.Op) {
				graph.Message(onnxwire.GraphNode, maker.Span)
				continue
			}
		}
		t, err := wireType(declared[name])
		if err != nil {
			t = onnxwire.Type{} // the caller declares it
		}
		graph.Write(onnxwire.AppendMessage(nil, onnxwire.GraphInput,
			onnxwire.AppendValue(nil, name, &t)))
	}
	graph.Copy(n.Bodies[0])
	return graph, nil
}
