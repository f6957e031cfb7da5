package loaders

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Mark returns the model with the named tensors as additional outputs. They follow the model's own
// outputs, in the given order. [Model.GraphOrder] of the result lists all outputs in graph order.
// Names that are outputs already, and repeated names, are ignored.
//
// The file is not rewritten: a few hundred bytes are appended, which protobuf merges into the
// graph. This takes milliseconds and no memory, however large the weights are. The new outputs have
// the types and shapes that the model declares. If it declares no type for a new output, most
// engines infer the type, but ONNX's checker rejects the model; locate.Mark declares all types.
//
// Marking can change how an engine executes the model, because the engine fuses fewer nodes: use
// the original model to decide whether an engine is correct. It is an error if a name is unknown,
// or if the tensor is inside the body of an If, Loop or Scan, since it cannot become an output.
func (m *Model) Mark(names ...string) (*Model, error) {
	values := make([]Value, len(names))
	for i, name := range names {
		values[i] = Value{Name: name, Kind: Untyped}
	}
	return m.MarkAs(values...)
}

// MarkAs is like [Model.Mark] but also declares the types of the tensors and, if given, their
// shapes. TensorRT's parser, for example, rejects outputs without a type.
func (m *Model) MarkAs(values ...Value) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	already := map[string]bool{}
	for _, v := range m.file.Structure.Graph.Outputs {
		already[v.Name] = true
	}
	known, err := m.file.TensorNames()
	if err != nil {
		return nil, err
	}
	declared, err := m.wireTypes(values)
	if err != nil {
		return nil, err
	}
	var outputs []byte
	for _, v := range values {
		if !known[v.Name] {
			return nil, m.unmarkable(v.Name)
		}
		if already[v.Name] {
			continue
		}
		already[v.Name] = true
		t := declared[v.Name]
		if v.Kind == Tensor {
			if t, err = v.WireType(); err != nil {
				return nil, m.file.Located(err)
			}
		}
		outputs = onnxwire.AppendMessage(outputs, onnxwire.GraphOutput,
			onnxwire.AppendValue(nil, v.Name, &t))
	}
	if outputs != nil {
		outputs = onnxwire.AppendMessage(nil, onnxwire.ModelGraph, outputs)
	}
	marked, err := m.file.Appended(outputs)
	if err != nil {
		return nil, err
	}
	return FromFile(marked), nil
}

// GraphOrder returns the names of the outputs. For a model made by [Model.Mark], they are in the
// order in which the graph computes them, so the first output that differs is nearest to the fault;
// outputs that no node computes come first. For any other model, they are in declared order.
func (m *Model) GraphOrder() ([]string, error) {
	if m.File() == nil {
		return nil, m.Load()
	}
	order, err := m.order() // computed once, because every run needs it
	return slices.Clone(order), err
}

func (m *Model) computeOrder() ([]string, error) {
	outputs, err := m.Outputs()
	if err != nil {
		return nil, err
	}
	names := Names(outputs)
	if !m.File().IsMarked() {
		return names, nil
	}
	place := make(map[string]int, len(names)) // 0 if no node computes it
	for _, name := range names {
		place[name] = 0
	}
	err = m.file.EachNode(func(i int, n *onnxwire.Node, _ *onnxwire.Reader) {
		for _, name := range n.Outputs {
			if _, ok := place[name]; ok {
				place[name] = i + 1
			}
		}
	})
	slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
	return names, err
}

// wireTypes returns types by the names of values. It includes the values that are not tensors and
// the values without a known type. It takes their types from the declarations in the model's file.
func (m *Model) wireTypes(values []Value) (map[string]onnxwire.Type, error) {
	types := map[string]onnxwire.Type{}
	for _, v := range values {
		if _, err := v.WireType(); err != nil {
			types[v.Name] = onnxwire.Type{}
		}
	}
	if len(types) == 0 {
		return types, nil
	}
	return types, m.file.EachDeclared(func(v onnxwire.Value) {
		if _, asked := types[v.Name]; asked && v.Type.Kind != onnxwire.Untyped {
			types[v.Name] = v.Type
		}
	})
}

// TensorNames returns the names of the graph's tensors: its inputs, initializers and node outputs,
// but not the tensors inside the body of an If, Loop or Scan.
func (m *Model) TensorNames() (map[string]bool, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	return m.file.TensorNames()
}

// unmarkable returns the error for a tensor that cannot become an output.
func (m *Model) unmarkable(name string) error {
	return m.file.Located(fmt.Errorf("no tensor %q to mark; tensors inside the body of an If, Loop "+
		"or Scan cannot become outputs", name))
}
