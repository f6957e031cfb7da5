package relations

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// joinRows joins several sets along the axes, such as rows into a batch, or frames into a chunk.
// Inputs without an axis come from the first set.
func joinRows(axes map[string]int, of []*tensor.Set) (*tensor.Set, error) {
	return sets.Map(of[0], func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		axis, rowwise := axes[name]
		if !rowwise {
			return t, nil
		}
		list := make([]*tensor.Tensor, len(of))
		for i, one := range of {
			var ok bool
			if list[i], ok = one.Get(name); !ok || axis >= len(list[i].Shape()) {
				return nil, fmt.Errorf("not every iteration has an axis %d", axis)
			}
		}
		return rows.Concat(axis, list)
	})
}

// rowOf returns one row of each tensor in axes. It returns other tensors as they are if whole is
// set, and drops them otherwise.
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
