package reorder

import (
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// [Bare] turns a weight into an input if the weight has at least heavy elements.
const heavy = 1 << 12

// Bare returns a model whose large float weights have become inputs, and these weights by name. Use
// it to save memory: an engine that opens this model keeps no copy of the weights.
func Bare(m *loaders.Model) (bare *loaders.Model, weights map[string]*tensor.Tensor, err error) {
	if err := m.Load(); err != nil {
		return nil, nil, err
	}
	weights = map[string]*tensor.Tensor{}
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
			weights[t.Name] = nil
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
	for name := range weights {
		if weights[name], err = m.Weight(name); err != nil {
			return nil, nil, err
		}
	}
	return loaders.FromFile(file), weights, nil
}
