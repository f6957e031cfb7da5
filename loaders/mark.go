package loaders

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Mark returns the model with the named tensors among its outputs, after its own and in the given
// order; a run gives all of them in graph order ([Model.GraphOrder]). Names that are outputs
// already change nothing, and so does a name given twice.
//
// The file is not rewritten: a marked model is the file's bytes and a few hundred more behind
// them, which protobuf merges into the graph. That takes milliseconds and no memory whatever the
// size of the weights. Outputs have the types and shapes that the model declares; engines find out
// the others themselves, and ONNX's checker refuses a file without them: locate.Mark declares all.
//
// Marking can change what an engine runs, because it fuses less: judge the outputs on the unmarked
// model. A name that no node, input or initializer has is an error; so is one that exists only
// inside the body of an If, Loop or Scan, whose tensors cannot leave it.
func (m *Model) Mark(names ...string) (*Model, error) {
	values := make([]Value, len(names))
	for i, name := range names {
		values[i] = Value{Name: name, Kind: Untyped}
	}
	return m.MarkAs(values...)
}

// MarkAs is [Model.Mark] that also declares the tensors' types, and their shapes where the values
// have one, for engines that want outputs declared: TensorRT's parser refuses any other.
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
		return nil, m.file.Located(err)
	}
	var outputs []byte
	for _, v := range values {
		if !known[v.Name] {
			return nil, m.file.Located(m.unmarkable(v.Name))
		}
		if already[v.Name] {
			continue
		}
		already[v.Name] = true
		t := declared[v.Name]
		if v.Kind != Untyped {
			var err error
			if t, err = wireType(v); err != nil {
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
		return nil, m.file.Located(err)
	}
	return FromFile(marked), nil
}

// IsMarked reports whether [Model.Mark] made the model.
func (m *Model) IsMarked() bool { return m.file.IsMarked() }

// GraphOrder is the names of the outputs in the order in which the graph computes them, for a model
// that [Model.Mark] made: there the first one that differs is nearest to the fault. Outputs that no
// node computes come first. Of any other model, the order is that in which it declares them.
func (m *Model) GraphOrder() ([]string, error) {
	if m.File() == nil {
		return nil, m.Load()
	}
	order, err := m.order() // every run asks
	return slices.Clone(order), err
}

func (m *Model) computeOrder() ([]string, error) {
	outputs, err := m.Outputs()
	if err != nil {
		return nil, err
	}
	names := namesOf(outputs)
	if !m.IsMarked() {
		return names, nil
	}
	place := make(map[string]int, len(names)) // 0 where no node computes it
	for _, name := range names {
		place[name] = 0
	}
	err = m.file.EachNode(func(i int, n *onnxwire.Node, _ *onnxwire.Reader) error {
		for _, name := range n.Outputs {
			if _, ok := place[name]; ok {
				place[name] = i + 1
			}
		}
		return nil
	})
	if err != nil {
		return nil, m.file.Located(err)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
	return names, nil
}

// wireTypes is what the model declares about the values that are left untyped.
func (m *Model) wireTypes(values []Value) (map[string]onnxwire.Type, error) {
	types := map[string]onnxwire.Type{}
	for _, v := range values {
		if v.Kind == Untyped {
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

// TensorNames returns every name that a tensor of the graph has: inputs, initializers and what
// nodes compute, but not what is inside bodies.
func (m *Model) TensorNames() (map[string]bool, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	names, err := m.file.TensorNames()
	if err != nil {
		return nil, m.file.Located(err)
	}
	return names, nil
}

// unmarkable says why a name cannot be marked.
func (m *Model) unmarkable(name string) error {
	missing := fmt.Errorf("no tensor %q to mark", name)
	err := m.file.EachNode(func(_ int, n *onnxwire.Node, r *onnxwire.Reader) error {
		inside, err := defines(n, r, name)
		if inside {
			missing = fmt.Errorf("tensor %q is inside the body of %s %q and cannot leave it; mark that "+
				"node's outputs: %q", name, n.Op, n.Name, n.Outputs)
		}
		return err
	})
	if err != nil {
		return err
	}
	return missing
}

// defines reports whether a tensor of that name stands in a body of the node or in one within it.
func defines(n *onnxwire.Node, r *onnxwire.Reader, name string) (bool, error) {
	for _, span := range n.Bodies {
		g, err := r.Body(span)
		if err != nil {
			return false, err
		}
		found := slices.ContainsFunc(g.Initializers, func(t onnxwire.Tensor) bool {
			return t.Name == name
		}) || slices.ContainsFunc(g.Inputs, func(v onnxwire.Value) bool { return v.Name == name })
		err = onnxfile.Each(r, &g.Nodes, func(_ int, n *onnxwire.Node) error {
			inside, err := defines(n, r, name)
			found = found || inside || slices.Contains(n.Outputs, name)
			return err
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}
