package reorder

import (
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// [Bare] turns a weight into an input if the weight has at least heavy elements.
const heavy = 1 << 12

// Bare returns a model whose large float weights have become inputs, and the names of these
// weights. Use it to save memory: an engine that opens this model keeps no copy of the weights.
func Bare(m *loaders.Model) (bare *loaders.Model, weights []string, err error) {
	if err := m.Load(); err != nil {
		return nil, nil, err
	}
	graph := &m.File().Structure.Graph
	declared := map[string]bool{} // models before IR version 4 declare weights as inputs
	for _, v := range graph.Inputs {
		declared[v.Name] = true
	}
	next := 0
	file, err := m.File().Rewrite(func(r *onnxfile.Rewriting) {
		r.Change = func(out *onnxfile.Spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphInitializer {
				return false
			}
			t := &graph.Initializers[next]
			next++
			elements := int64(1)
			for _, d := range t.Dims {
				elements *= d
			}
			if elements < heavy || !onnxfile.ElementTypeOf(t.Type).IsFloat() {
				return false
			}
			weights = append(weights, t.Name)
			if !declared[t.Name] {
				kind := onnxwire.Type{Kind: onnxwire.TensorKind, Elem: t.Type, HasShape: true}
				for _, d := range t.Dims {
					kind.Dims = append(kind.Dims, onnxwire.Dim{Size: d})
				}
				out.WriteMessage(onnxwire.GraphInput, onnxwire.AppendValue(nil, t.Name, &kind))
			}
			return true
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return loaders.FromFile(file), weights, nil
}

// WithWeights returns the inputs for a model that [Bare] has returned: the given inputs, together
// with the values of the named weights of m.
func WithWeights(inputs *tensor.Set, m *loaders.Model, weights []string) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range inputs.All() {
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	for _, name := range weights {
		t, err := m.Weight(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}
