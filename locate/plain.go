package locate

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// view describes how to read the tensors of the actual or the expected side.
type view struct {
	names *namesakes     // maps the actual side's names to this side's; nil for the actual side
	graph *pairing.Graph // describes quantized tensors; nil if all tensors pair by name
	given []*tensor.Set  // the inputs under this model's names, if a tensor may pair with an input
}

type views struct{ actual, expected view }

// plain dequantizes the quantized tensors in the sets. The tensors keep their names.
func (v view) plain(given []*tensor.Set) ([]*tensor.Set, error) {
	if v.graph == nil || !v.graph.Integers.Used() {
		return given, nil
	}
	return sets.MapAll(given, func(_ int, name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		q := v.quantization(strings.TrimSuffix(name, loaders.CutSuffix))
		if q == nil || t.ElementType() != q.Type {
			return t, nil
		}
		return q.Values(t)
	})
}

// quantization returns a tensor's quantization, or nil if it is not quantized.
func (v view) quantization(name string) *pairing.Quantization {
	if v.graph == nil {
		return nil
	}
	return v.graph.Integers.Of(name)
}

// typeOf returns the element type that the engine uses for a tensor. values is the element type of
// the tensor's dequantized values.
func (v view) typeOf(name string, values tensor.ElementType) tensor.ElementType {
	if q := v.quantization(name); q != nil {
		return q.Type
	}
	return values
}

// isInput reports whether a name is one of the model's inputs.
func (v view) isInput(name string) bool {
	if len(v.given) == 0 {
		return false
	}
	_, ok := v.given[0].Get(name)
	return ok
}

// withInputs adds the values of those named tensors that are inputs of the model.
func (v view) withInputs(results []*tensor.Set, names []string) []*tensor.Set {
	if !slices.ContainsFunc(names, v.isInput) {
		return results
	}
	list := make([]*tensor.Set, len(results))
	for i, set := range results {
		more := map[string]*tensor.Tensor{}
		for _, name := range names {
			if _, both := set.Get(name); !both && i < len(v.given) {
				if t, ok := v.given[i].Get(name); ok {
					more[name] = t
				}
			}
		}
		list[i], _ = sets.With(set, more) // the names are unique
	}
	return list
}
