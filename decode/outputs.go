package decode

import (
	"slices"

	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/tensor"
)

// outputs returns an iteration's outputs: the logits, the caches and the tokens.
func (d *drive) outputs() (*tensor.Set, error) {
	entries, err := d.collected.outputs(d.layout.logits)
	if err != nil {
		return nil, err
	}
	for _, c := range d.layout.caches {
		t, err := d.caches[c.past.Name], error(nil)
		if !c.Fixed {
			t, err = c.withoutPadding(t, d.mask, d.total)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, tensor.Entry{Name: c.Output, Tensor: t})
	}
	tokens, err := d.tokens()
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(append(entries, tensor.Entry{Name: "tokens", Tensor: tokens})...)
}

func (d *drive) tokens() (*tensor.Tensor, error) {
	n := len(d.ids[0])
	return filled(tensor.Shape{len(d.ids), n}, n*len(d.ids), func(i int) int64 {
		if d.mask[i/n][i%n] == 0 {
			return -1
		}
		return d.ids[i/n][i%n]
	})
}

// withoutPadding returns the first slots of a cache, with zeros in the slots of padding.
func (s layerCache) withoutPadding(t *tensor.Tensor, mask [][]int64, slots int) (
	*tensor.Tensor, error) {
	sequences := make([]*tensor.Tensor, len(mask))
	for i := range sequences {
		own, err := rows.Take(t, s.Batch, i, 1)
		if err != nil {
			return nil, err
		}
		slot, err := rows.Take(own, s.Axis, 0, 1)
		if err != nil {
			return nil, err
		}
		picks := slices.Repeat([]rows.Pick{{Of: zeros(slot)}}, slots)
		for at, real := range mask[i][:slots] {
			if real != 0 {
				picks[at] = rows.Pick{Of: own, At: at}
			}
		}
		if sequences[i], err = rows.Join(s.Axis, picks); err != nil {
			return nil, err
		}
	}
	return rows.Concat(s.Batch, sequences)
}
