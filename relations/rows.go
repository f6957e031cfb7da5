package relations

import (
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// joinRows joins rows into inputs: each input with a batch gets one row from each set. Inputs
// without a batch come from the first set.
func joinRows(axes map[string]int, of []*tensor.Set) (*tensor.Set, error) {
	return sets.Map(of[0], func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		axis, rowwise := axes[name]
		if !rowwise {
			return t, nil
		}
		picks := make([]rows.Pick, len(of))
		for i, r := range of {
			picks[i].Of, _ = r.Get(name)
		}
		return rows.Join(axis, picks)
	})
}

// rowOf returns one row of each tensor in axes. Other tensors are dropped unless whole is set.
func rowOf(set *tensor.Set, axes map[string]int, at int, whole bool) (*tensor.Set, error) {
	return sets.Map(set, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		axis, rowwise := axes[name]
		switch {
		case rowwise:
			return rows.Take(t, axis, at, 1)
		case whole:
			return t, nil
		}
		return nil, nil
	})
}
