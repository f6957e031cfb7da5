package locate

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// plain dequantizes the tensors that the engine returned. It keeps their names.
func (s *seat) plain(sets []*tensor.Set) ([]*tensor.Set, error) {
	if s.graph == nil || !s.graph.Integers.Used() {
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

// quantization returns a tensor's quantization, or nil if it is not quantized.
func (s *seat) quantization(name string) *pairing.Quantization {
	if s.graph == nil {
		return nil
	}
	q, known := s.quantized[name]
	if !known {
		q = s.graph.Integers.Of(name)
		if s.quantized == nil {
			s.quantized = map[string]*pairing.Quantization{}
		}
		s.quantized[name] = q
	}
	return q
}

// typeOf returns the element type that the engine uses for a tensor, given the type of its
// dequantized values.
func (s *seat) typeOf(name string, values tensor.ElementType) tensor.ElementType {
	if q := s.quantization(name); q != nil {
		return q.Type
	}
	return values
}

// isInput reports whether a name is one of the model's inputs.
func (s *seat) isInput(name string) bool {
	if len(s.given) == 0 {
		return false
	}
	_, ok := s.given[0].Get(name)
	return ok
}

// withInputs adds the named inputs of this side to the results.
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
