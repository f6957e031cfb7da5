package decode

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// draft feeds n tokens that are not of the text, and takes them back.
func (b *backend) draft(ctx context.Context, d *drive, n int) error {
	feed, err := d.drafted(n)
	if err != nil {
		return err
	}
	run, err := b.of.Run(ctx, fixtures.Of(feed))
	if err != nil {
		return err
	}
	for _, c := range d.layout.caches {
		if c.Fixed {
			continue
		}
		t, ok := run.Outputs()[0].Get(c.present)
		if !ok {
			return fmt.Errorf("the model gave no output %q", c.present)
		}
		if err := c.fits(t.ElementType(), t.Shape(), len(d.ids), d.past+n); err != nil {
			return err
		}
		if !c.static() {
			if t, err = between(t, c.Axis, 0, d.past); err != nil {
				return err
			}
		}
		d.caches[c.past.Name] = t
	}
	return nil
}

// moved is the batch with other tokens in n places: those of the text, moved along until they
// differ.
func (b *batch) moved(from, n int) *batch {
	c := *b
	c.ids = make([][]int64, len(b.ids))
	for r, row := range b.ids {
		c.ids[r] = slices.Clone(row)
		for i := from; i < from+n; i++ {
			for step := 1; step < len(row) && c.ids[r][i] == row[i]; step++ {
				c.ids[r][i] = row[(i+step)%len(row)]
			}
		}
	}
	return &c
}

// between is a tensor's places along an axis, from one up to another.
func between(t *tensor.Tensor, axis, from, to int) (*tensor.Tensor, error) {
	shape := t.Shape().Clone()
	inner, outer := t.ElementType().Bits()/8, 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	for _, n := range shape[:axis] {
		outer *= n
	}
	size := shape[axis]
	shape[axis] = to - from
	data := make([]byte, 0, outer*(to-from)*inner)
	for o := range outer {
		data = append(data, t.Bytes()[(o*size+from)*inner:(o*size+to)*inner]...)
	}
	return tensor.FromBytes(t.ElementType(), shape, data)
}

// drafted are the inputs of a step of n other tokens.
func (d *drive) drafted(n int) (*tensor.Set, error) {
	other := *d
	other.settings = &settings{Steps: []int{n}, From: d.settings.From, Names: d.settings.Names}
	other.batch = d.batch.moved(d.past, n)
	other.caches = maps.Clone(d.caches)
	return other.feed(true)
}
