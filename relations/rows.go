package relations

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/tensor"
)

// joinRows joins rows into inputs: each input with a batch gets one row from each set. Inputs
// without a batch come from the first set.
func joinRows(axes map[string]int, sets []*tensor.Set) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range sets[0].All() {
		axis, rowwise := axes[name]
		if rowwise {
			picks := make([]rows.Pick, len(sets))
			for i, r := range sets {
				of, _ := r.Get(name)
				picks[i] = rows.Pick{Of: of}
			}
			var err error
			if t, err = rows.Join(axis, picks); err != nil {
				return nil, fmt.Errorf("input %q: %w", name, err)
			}
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// rowOf returns one row of each tensor in axes. Other tensors are dropped unless whole is set.
func rowOf(set *tensor.Set, axes map[string]int, at int, whole bool) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range set.All() {
		axis, rowwise := axes[name]
		switch {
		case rowwise:
			var err error
			if t, err = rows.Take(t, axis, at, 1); err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
		case !whole:
			continue
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}
