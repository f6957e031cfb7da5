package relations

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// slice returns n rows of t along an axis, starting with row from.
func slice(t *tensor.Tensor, axis, from, n int) (*tensor.Tensor, error) {
	picks := make([]pick, n)
	for i := range picks {
		picks[i] = pick{t, from + i}
	}
	return gather(axis, picks)
}

// pick selects one row of a tensor.
type pick struct {
	of *tensor.Tensor
	at int
}

// gather joins rows along an axis. All tensors must have the same element type and, except along
// the axis, the same shape.
func gather(axis int, picks []pick) (*tensor.Tensor, error) {
	first := picks[0].of
	shape := slices.Clone(first.Shape())
	if axis >= len(shape) {
		return nil, fmt.Errorf("%v%v has no axis %d", first.ElementType(), shape, axis)
	}
	outer, inner := 1, 1
	for i, d := range shape {
		switch {
		case i < axis:
			outer *= d
		case i > axis:
			inner *= d
		}
	}
	shape[axis] = len(picks)
	bits := first.ElementType().Bits()
	text := first.ElementType() == tensor.String
	if !text && inner*bits%8 != 0 {
		return nil, fmt.Errorf("the rows of %v%v share bytes, so they cannot be separated",
			first.ElementType(), first.Shape())
	}
	var strings []string
	var data []byte
	size := inner * bits / 8
	for o := range outer {
		for _, p := range picks {
			length := p.of.Shape()[axis]
			if p.at < 0 || p.at >= length {
				return nil, fmt.Errorf("row %d of %d", p.at, length)
			}
			begin := o*length + p.at
			if text {
				strings = append(strings, p.of.Strings()[begin*inner:(begin+1)*inner]...)
			} else {
				data = append(data, p.of.Bytes()[begin*size:(begin+1)*size]...)
			}
		}
	}
	if text {
		return tensor.FromStrings(shape, strings)
	}
	return tensor.FromBytes(first.ElementType(), shape, data)
}

// joinRows joins rows into inputs: each input with a batch gets one row from each set. Inputs
// without a batch come from the first set.
func joinRows(axes map[string]int, rows []*tensor.Set) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range rows[0].All() {
		axis, rowwise := axes[name]
		if rowwise {
			picks := make([]pick, len(rows))
			for i, r := range rows {
				of, _ := r.Get(name)
				picks[i] = pick{of, 0}
			}
			var err error
			if t, err = gather(axis, picks); err != nil {
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
			if t, err = slice(t, axis, at, 1); err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
		case !whole:
			continue
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}
