package decode

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// stepper runs the steps of one batch in a [backends.Loop], which keeps the caches between steps.
type stepper struct {
	loop   backends.Loop
	rewind func(backends.Loop, int) error
	d      *drive
}

// stepper returns a stepper that keeps the caches in the engine. If the engine cannot keep the
// caches, or cannot rewind them for a rollback, the result copies the caches at each step instead.
func (b *backend) stepper(d *drive) (*stepper, error) {
	can := backends.CapabilitiesOf(b.engine.inner)
	if b.settings.Copying || can.Loop == nil || can.Rewind == nil && b.settings.Rollback != nil {
		c := &copying{of: b.of, layout: b.layout, kept: map[string]*tensor.Tensor{}}
		return &stepper{loop: c, rewind: c.rewind, d: d}, nil
	}
	loop, err := can.Loop(b.of)
	return &stepper{loop: loop, rewind: can.Rewind, d: d}, err
}

func (k *stepper) step(ctx context.Context) error {
	d := k.d
	feed, err := d.feed()
	if err != nil {
		return err
	}
	outputs, err := k.runStep(ctx, feed)
	if err != nil {
		return err
	}
	clear(d.caches) // from now on, the loop keeps them
	return d.take(outputs, k.fits)
}

// runStep runs one step, whose caches stay in the engine, and returns its other outputs.
func (k *stepper) runStep(ctx context.Context, feed *tensor.Set) (*tensor.Set, error) {
	d, keep := k.d, map[string]string{} // the name of a cache's output, and of its input
	for _, c := range d.layout.caches {
		if !c.Fixed || d.number == 0 {
			keep[c.Output] = c.past.Name
		}
	}
	start := time.Now()
	outputs, err := k.loop.Step(ctx, feed, []string{d.layout.logits}, keep)
	if err != nil {
		return nil, err
	}
	d.made, d.took = k.loop.Provenance(), d.took+time.Since(start)
	return outputs, nil
}

// fits returns an error if a cache in the engine does not have the expected type, or the shape for
// this number of slots.
func (k *stepper) fits(c layerCache, slots int) error {
	elem, shape, err := k.loop.Kept(c.past.Name)
	if err != nil {
		return err
	}
	return c.fits(elem, shape, len(k.d.ids), slots)
}

// draft feeds n draft tokens, and then rewinds the caches as if they had been rejected.
func (k *stepper) draft(ctx context.Context, n int) error {
	d := k.d
	feed, err := d.draftInputs(n)
	if err != nil {
		return err
	}
	took := d.took
	_, err = k.runStep(ctx, feed)
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

// end copies the caches out of the engine after the last step.
func (k *stepper) end() error {
	for _, c := range k.d.layout.caches {
		t, err := k.loop.Read(c.past.Name)
		if err != nil {
			return fmt.Errorf("cache %q: %w", c.Output, err)
		}
		k.d.caches[c.past.Name] = t
	}
	return nil
}

func (k *stepper) close() {
	_ = k.loop.Close() // only frees memory
}

// copying is a loop of ordinary runs. At each step, it copies the caches out of the engine and
// back.
type copying struct {
	of     backends.Backend
	layout *layout
	kept   map[string]*tensor.Tensor // by input
	made   backends.Provenance
}

// Step runs the model with the given inputs and the kept caches.
func (c *copying) Step(ctx context.Context, inputs *tensor.Set, _ []string,
	keep map[string]string) (*tensor.Set, error) {
	feed, err := sets.With(inputs, c.kept)
	if err != nil {
		return nil, err
	}
	run, err := c.of.Run(ctx, fixtures.Of(feed))
	if err != nil {
		return nil, err
	}
	c.made = run.Provenance
	outputs := run.Outputs()[0]
	for _, name := range slices.Sorted(maps.Keys(keep)) {
		t, ok := outputs.Get(name)
		if !ok {
			return nil, fmt.Errorf("the model returned no output %q", name)
		}
		c.kept[keep[name]] = t
	}
	return outputs, nil
}

// Kept returns the type and shape of the cache that is kept for an input.
func (c *copying) Kept(input string) (tensor.ElementType, tensor.Shape, error) {
	t := c.kept[input]
	return t.ElementType(), t.Shape(), nil
}

// Read returns the cache that is kept for an input.
func (c *copying) Read(input string) (*tensor.Tensor, error) { return c.kept[input], nil }

// Provenance returns the last run's provenance.
func (c *copying) Provenance() backends.Provenance { return c.made }

// Close does nothing.
func (c *copying) Close() error { return nil }

// rewind truncates the growing caches to the given number of tokens.
func (c *copying) rewind(_ backends.Loop, tokens int) (err error) {
	for _, one := range c.layout.caches {
		if name := one.past.Name; err == nil && !one.Fixed && !one.static() {
			c.kept[name], err = rows.Take(c.kept[name], one.Axis, 0, tokens)
		}
	}
	return err
}
