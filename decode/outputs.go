package decode

import (
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
		entries = append(entries, tensor.Entry{Name: c.present, Tensor: t})
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
	in := t.Shape()
	out := append(tensor.Shape{}, in...)
	out[s.Axis] = slots
	inner := t.ElementType().Bits() / 8
	for _, n := range in[s.Axis+1:] {
		inner *= n
	}
	outer := 1
	for _, n := range in[:s.Axis] {
		outer *= n
	}
	data := make([]byte, outer*slots*inner)
	for o := range outer {
		row := s.row(in, o)
		for i := range slots {
			if mask[row][i] != 0 {
				copy(data[(o*slots+i)*inner:][:inner], t.Bytes()[(o*in[s.Axis]+i)*inner:])
			}
		}
	}
	return tensor.FromBytes(t.ElementType(), out, data)
}

// row returns the index of the sequence to which a block belongs. o is the block's flat index over
// all axes before the token axis.
func (s layerCache) row(shape tensor.Shape, o int) int {
	for i := s.Axis - 1; i > s.Batch; i-- {
		o /= shape[i]
	}
	return o % shape[s.Batch]
}
