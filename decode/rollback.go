package decode

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/tensor"
)

// draft feeds n wrong tokens and then removes them from the caches.
func (c *copying) draft(ctx context.Context, n int) error {
	d := c.d
	feed, err := d.draftInputs(n, true)
	if err != nil {
		return err
	}
	run, err := c.of.Run(ctx, fixtures.Of(feed))
	if err != nil {
		return err
	}
	for _, c := range d.layout.caches {
		if c.Fixed {
			continue
		}
		t, ok := run.Outputs()[0].Get(c.present)
		if !ok {
			return fmt.Errorf("the model returned no output %q", c.present)
		}
		if err := c.fits(t.ElementType(), t.Shape(), len(d.ids), d.past+n); err != nil {
			return err
		}
		if !c.static() {
			if t, err = rows.Take(t, c.Axis, 0, d.past); err != nil {
				return err
			}
		}
		d.caches[c.past.Name] = t
	}
	return nil
}

// draft feeds n wrong tokens and then rewinds the engine.
func (k *keeping) draft(ctx context.Context, n int) error {
	d := k.d
	feed, err := d.draftInputs(n, false)
	if err != nil {
		return err
	}
	took := d.took
	_, _, err = k.runStep(ctx, feed)
	if d.took = took; err != nil { // do not count the time for rolled-back tokens
		return err
	}
	for _, c := range d.layout.caches {
		if c.Fixed {
			continue
		}
		if err := k.fits(c, d.past+n); err != nil {
			return err
		}
	}
	return k.rewind(k.loop, d.past)
}

// withOtherTokens returns a copy of the batch in which n tokens, beginning at position from, are
// replaced. The new tokens come from the same sequence and differ from the old ones if possible.
func (b *batch) withOtherTokens(from, n int) *batch {
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

// draftInputs returns the inputs of a step with n wrong tokens, with or without the caches.
func (d *drive) draftInputs(n int, caches bool) (*tensor.Set, error) {
	other := *d
	other.settings = &settings{Steps: []int{n}, From: d.settings.From, Names: d.settings.Names}
	other.batch = d.batch.withOtherTokens(d.past, n)
	other.caches = maps.Clone(d.caches)
	return other.feed(caches)
}
