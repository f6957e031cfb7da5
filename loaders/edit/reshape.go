package edit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// WithInputShapes returns the model with new shapes for the named inputs. Other inputs are
// unchanged. Since the declared shapes of intermediate tensors may follow from the old input
// shapes, they are dropped, and so are the sizes (but not the rank) of outputs; ort.InferShapes
// infers both again.
//
// It is an error if a name is not an input, or if the input is not a tensor.
func WithInputShapes(m *loaders.Model, shapes map[string][]loaders.Dim) (*loaders.Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	inputs := map[string]onnxwire.Value{}
	for _, v := range m.File().Structure.Graph.Inputs {
		inputs[v.Name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		v, known := inputs[name]
		switch {
		case !known:
			return nil, m.File().Located(fmt.Errorf("the model has no input %q: the inputs are %q", name,
				slices.Sorted(maps.Keys(inputs))))
		case v.Type.Kind != onnxwire.TensorKind:
			return nil, m.File().Located(fmt.Errorf("input %q is %s, which has no shape", name,
				onnxfile.TypeName(&v.Type)))
		}
	}
	return rewrite(m, func(r *rewriting) {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if in != onnxwire.GraphMessage {
				return false
			}
			switch f.Number {
			case onnxwire.GraphValueInfo:
				return true
			case onnxwire.GraphInput, onnxwire.GraphOutput:
			default:
				return false
			}
			v := r.Value(f.Body)
			dims, given := shapes[v.Name]
			if f.Number == onnxwire.GraphOutput {
				given = v.Type.HasShape && v.Type.Kind == onnxwire.TensorKind
				dims = slices.Repeat([]loaders.Dim{{Size: -1}}, len(v.Type.Dims))
			}
			if given {
				v.Type.HasShape, v.Type.Dims = true, nil
				for _, d := range dims {
					v.Type.Dims = append(v.Type.Dims, onnxwire.Dim{Size: int64(d.Size), Param: d.Symbol})
				}
				out.WriteMessage(f.Number, onnxwire.AppendValue(nil, v.Name, &v.Type))
			}
			return given
		}
	})
}

// WithOutputs returns the model with the given outputs instead of its own, in the given order. It
// keeps nodes that become redundant; see [Cleanup]. It declares types as [loaders.Model.MarkAs]
// does; an Untyped value gets the type that the model declares.
func WithOutputs(m *loaders.Model, values ...loaders.Value) (*loaders.Model, error) {
	marked, err := m.MarkAs(values...)
	if err != nil {
		return nil, err
	}
	if err := marked.Load(); err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, v := range values {
		if _, twice := place[v.Name]; !twice {
			place[v.Name] = i
		}
	}
	var kept []onnxwire.Value
	for _, v := range marked.File().Structure.Graph.Outputs {
		if _, asked := place[v.Name]; asked {
			kept = append(kept, v)
		}
	}
	slices.SortStableFunc(kept, func(a, b onnxwire.Value) int { return place[a.Name] - place[b.Name] })
	return rewrite(marked, func(r *rewriting) {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphOutput {
				return false
			}
			for _, v := range kept { // write all outputs in the place of the first one
				out.Message(onnxwire.GraphOutput, v.Span)
			}
			kept = nil
			return true
		}
	})
}
