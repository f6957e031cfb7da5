package locate

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// plain makes values of what the side's engine gave: tensors in integers become what they stand
// for, and CutSuffix does not change what a tensor is called.
func (s *seat) plain(sets []*tensor.Set) ([]*tensor.Set, error) {
	if s.graph == nil || !s.graph.Quantized() {
		return sets, nil
	}
	list := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		var entries []tensor.Entry
		for name, t := range set.All() {
			q := s.quantization(strings.TrimSuffix(name, loaders.CutSuffix))
			if q != nil && t.ElementType() == q.Type {
				values, err := q.Values(t)
				if err != nil {
					return nil, fmt.Errorf("locate: %q: %w", name, err)
				}
				t = values
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		var err error
		if list[i], err = tensor.NewSet(entries...); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// quantization is how the side's tensor stands for values, or nil where it holds them.
func (s *seat) quantization(name string) *pairing.Quantization {
	if s.graph == nil {
		return nil
	}
	q, known := s.quantized[name]
	if !known {
		q = s.graph.Quantization(name)
		if s.quantized == nil {
			s.quantized = map[string]*pairing.Quantization{}
		}
		s.quantized[name] = q
	}
	return q
}

// typeOf is the element type that the side's engine has for a tensor of some values.
func (s *seat) typeOf(name string, values tensor.ElementType) tensor.ElementType {
	if q := s.quantization(name); q != nil {
		return q.Type
	}
	return values
}

// taken is values as the actual side's engine takes them for a tensor: in its shape, its type, and
// as its integers.
func (w *pairs) taken(name string, values []*tensor.Tensor, elem tensor.ElementType) (
	list []*tensor.Tensor, err error) {
	list = make([]*tensor.Tensor, len(values))
	for i, t := range values {
		if t, err = w.shaped(name, i, t); err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
		if q := w.runs.actual.quantization(name); q != nil {
			t, err = q.Integers(t)
		} else {
			t, err = t.Convert(elem)
		}
		if err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
		list[i] = t
	}
	return list, nil
}

// shaped is an expected tensor in the shape that the actual side has it in, where the two differ by
// that alone.
func (w *pairs) shaped(name string, iteration int, t *tensor.Tensor) (*tensor.Tensor, error) {
	if w.matched == nil || !w.matched.reshaped[name] {
		return t, nil
	}
	shapes := w.matched.actual.Sketches[name].Shapes
	if iteration >= len(shapes) || t.Shape().Equal(shapes[iteration]) {
		return t, nil
	}
	if n, err := shapes[iteration].Elements(); err != nil || n != t.Len() {
		return t, nil // a fault gave it another size
	}
	return t.Reshape(shapes[iteration])
}

// held is the expected side's values of one tensor, as they are held to the actual side's.
func (w *pairs) held(name string, values []*tensor.Tensor) ([]*tensor.Tensor, error) {
	list := make([]*tensor.Tensor, len(values))
	for i, t := range values {
		shaped, err := w.shaped(name, i, t)
		if err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
		list[i] = shaped
	}
	return list, nil
}

// isInput reports whether a name is that of one of the model's inputs.
func (s *seat) isInput(name string) bool {
	if len(s.given) == 0 {
		return false
	}
	_, ok := s.given[0].Get(name)
	return ok
}

// withInputs adds the side's own inputs among some names to what it gave.
func (s *seat) withInputs(sets []*tensor.Set, names []string) ([]*tensor.Set, error) {
	list := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		var entries []tensor.Entry
		for name, t := range set.All() {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		for _, name := range names {
			if _, both := set.Get(name); !both && i < len(s.given) {
				if t, ok := s.given[i].Get(name); ok {
					entries = append(entries, tensor.Entry{Name: name, Tensor: t})
				}
			}
		}
		var err error
		if list[i], err = tensor.NewSet(entries...); err != nil {
			return nil, err
		}
	}
	return list, nil
}
