package edit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// WithInputShapes returns the model with other shapes for the named inputs. Declarations of inner
// tensors are dropped, since they may follow from the old shapes, and so are the sizes of outputs,
// although not their rank; ort.InferShapes infers both again. Other inputs are unchanged.
//
// A name that is not an input, or an input that is not a tensor, is an error.
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
			return nil, m.File().Located(fmt.Errorf("no input %q to give a shape: the inputs are %q", name,
				slices.Sorted(maps.Keys(inputs))))
		case v.Type.Kind != onnxwire.TensorKind:
			return nil, m.File().Located(fmt.Errorf("input %q is %s, which has no shape", name,
				onnxfile.TypeName(&v.Type)))
		}
	}
	return rewrite(m, func(r *rewriting) error {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage {
				return false, nil
			}
			switch f.Number {
			case onnxwire.GraphValueInfo:
				return true, nil
			case onnxwire.GraphInput, onnxwire.GraphOutput:
			default:
				return false, nil
			}
			v, err := r.Reader.Value(f.Body)
			if err != nil {
				return false, err
			}
			dims, given := shapes[v.Name]
			if f.Number == onnxwire.GraphOutput {
				given = v.Type.HasShape && v.Type.Kind == onnxwire.TensorKind
				dims = slices.Repeat([]loaders.Dim{{Size: -1}}, len(v.Type.Dims))
			}
			if !given {
				return false, nil
			}
			v.Type.HasShape, v.Type.Dims = true, wireDims(dims)
			out.Write(onnxwire.AppendMessage(nil, f.Number, onnxwire.AppendValue(nil, v.Name, &v.Type)))
			return true, nil
		}
		return nil
	})
}

func wireDims(dims []loaders.Dim) (list []onnxwire.Dim) {
	for _, d := range dims {
		list = append(list, onnxwire.Dim{Size: int64(d.Size), Param: d.Symbol})
	}
	return list
}

// WithOutputs returns the model with these outputs instead of its own, in this order. Redundant
// nodes are kept; see [Cleanup]. Types are declared as by [loaders.Model.MarkAs]; Untyped values
// get the type that the model declares.
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
	return rewrite(marked, func(r *rewriting) error {
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphOutput {
				return false, nil
			}
			for _, v := range kept { // write all instead of the first
				out.Message(onnxwire.GraphOutput, v.Span)
			}
			kept = nil
			return true, nil
		}
		return nil
	})
}
