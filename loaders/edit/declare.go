package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// declaredBy returns the model m with the missing types and shapes filled in. The parameter other
// is a second model, usually m after shape inference. If a tensor of m lacks a type or a shape,
// declaredBy copies the type or shape from the tensor of the same name in the second model. Sizes
// and symbols that m already declares are kept.
func declaredBy(m *loaders.Model, other *loaders.Model) (*loaders.Model, error) {
	names, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	if err := other.Load(); err != nil {
		return nil, err
	}
	learned := map[string]onnxwire.Type{}
	err = other.File().EachDeclared(func(v onnxwire.Value) {
		if names[v.Name] && v.Type.Kind != onnxwire.Untyped {
			learned[v.Name] = v.Type
		}
	})
	if err != nil {
		return nil, err
	}
	return declare(m, learned, false)
}

// withDeclared returns the model with its declarations of the given tensors replaced, even if they
// are inputs or outputs. It skips initializers, because they state their own type and shape, and
// values that are declared as something other than a tensor.
//
// It is an error if the graph has no tensor of a given name, or if a value has no type.
func withDeclared(m *loaders.Model, values ...loaders.Value) (*loaders.Model, error) {
	names, err := m.TensorNames()
	if err != nil {
		return nil, err
	}
	told := map[string]onnxwire.Type{}
	for _, v := range values {
		if !names[v.Name] {
			return nil, m.File().Located(fmt.Errorf("cannot declare a type for %q: the graph has "+
				"no such tensor", v.Name))
		}
		if told[v.Name], err = v.WireType(); err != nil {
			return nil, m.File().Located(err)
		}
	}
	return declare(m, told, true)
}

// declare adds the learned types and shapes to the declarations of tensors. If certain is true, it
// overwrites existing declarations, even of inputs; otherwise it only adds what is missing.
func declare(m *loaders.Model, learned map[string]onnxwire.Type, certain bool) (*loaders.Model,
	error) {
	names, err := m.File().TensorNames()
	if err != nil {
		return nil, err
	}
	graph := &m.File().Structure.Graph
	for i := range graph.Initializers {
		delete(learned, graph.Initializers[i].Name)
	}
	for _, v := range slices.Concat(graph.Inputs, graph.Outputs) {
		names[v.Name] = false // already declared
	}
	return rewrite(m, func(r *rewriting) {
		var order []string // undeclared tensors
		for _, n := range r.Nodes(graph.Nodes) {
			for _, name := range n.Outputs {
				if _, known := learned[name]; known && names[name] {
					order = append(order, name)
				}
			}
		}
		said := map[string]bool{}
		for v := range r.Values(graph.Values) {
			said[v.Name] = true
		}
		r.AtEnd = func(graph *spliced) {
			for _, name := range order {
				if t := learned[name]; !said[name] {
					graph.WriteMessage(onnxwire.GraphValueInfo,
						onnxwire.AppendValue(nil, name, merged(onnxwire.Type{}, &t)))
				}
			}
			order = nil
		}
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphValueInfo &&
				f.Number != onnxwire.GraphOutput && (f.Number != onnxwire.GraphInput || !certain) {
				return false
			}
			v := r.Value(f.Body)
			t, known := learned[v.Name]
			if known {
				if !certain || v.Type.Kind != onnxwire.TensorKind {
					t = *merged(v.Type, &t)
				}
				out.WriteMessage(f.Number, onnxwire.AppendValue(nil, v.Name, &t))
			}
			return known
		}
	})
}

// invented is the prefix of symbols that ONNX Runtime generates for unknown sizes.
const invented = "unk__"

// merged returns the declared type, with its unknown parts filled in from the learned type.
func merged(declared onnxwire.Type, learned *onnxwire.Type) *onnxwire.Type {
	if declared.Kind != onnxwire.Untyped &&
		(declared.Kind != onnxwire.TensorKind || learned.Kind != onnxwire.TensorKind) {
		return &declared
	}
	if declared.Kind == onnxwire.Untyped {
		declared = *learned
		declared.Dims = slices.Clone(learned.Dims)
	}
	if !declared.HasShape && learned.HasShape {
		declared.HasShape, declared.Dims = true, slices.Clone(learned.Dims)
	}
	for i := range declared.Dims {
		d := &declared.Dims[i]
		if d.Size < 0 && len(learned.Dims) == len(declared.Dims) &&
			(d.Param == "" || learned.Dims[i].Size >= 0) {
			*d = learned.Dims[i]
		}
		if strings.HasPrefix(d.Param, invented) {
			d.Param = ""
		}
	}
	return &declared
}
