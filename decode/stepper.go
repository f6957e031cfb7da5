package decode

import (
	"context"
	"fmt"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// stepper runs the steps of one batch. It passes the caches from step to step.
type stepper interface {
	step(ctx context.Context) error
	draft(ctx context.Context, n int) error // feeds n wrong tokens and removes them
	end() error                             // copies the final caches into the drive
	close()
}

// stepper returns a stepper that keeps the caches in the engine, or one that copies them if the
// engine cannot keep them or cannot rewind them for a rollback.
func (b *backend) stepper(d *drive) (stepper, error) {
	can := backends.CapabilitiesOf(b.engine.of)
	if b.settings.Copying || can.Loop == nil || can.Rewind == nil && b.settings.Rollback != nil {
		return &copying{of: b.of, d: d}, nil
	}
	loop, err := can.Loop(b.of)
	return &keeping{loop: loop, rewind: can.Rewind, d: d}, err
}

// copying is the stepper that passes the caches as tensors to ordinary runs.
type copying struct {
	of backends.Backend
	d  *drive
}

func (c *copying) step(ctx context.Context) error {
	d := c.d
	feed, err := d.feed(true)
	if err != nil {
		return err
	}
	run, err := c.of.Run(ctx, fixtures.Of(feed))
	if err != nil {
		return err
	}
	d.made, d.took = run.Provenance, d.took+max(run.Iterations()[0].Runtime, 0)
	outputs := run.Outputs()[0]
	return d.take(outputs, func(c layerCache, slots int) error {
		t, ok := outputs.Get(c.present)
		if !ok {
			if c.Fixed && d.fixed[c.past.Name] != nil {
				return nil
			}
			return fmt.Errorf("the model returned no output %q", c.present)
		}
		if err := c.fits(t.ElementType(), t.Shape(), len(d.ids), slots); err != nil {
			return err
		}
		d.caches[c.past.Name] = t
		return nil
	})
}

func (c *copying) end() error { return nil }
func (c *copying) close()     {}

// keeping is the stepper that leaves the caches in the engine.
type keeping struct {
	loop   backends.Loop
	rewind func(backends.Loop, int) error // nil if the engine cannot rewind
	d      *drive
}

func (k *keeping) step(ctx context.Context) error {
	d := k.d
	feed, err := d.feed(d.number == 0)
	if err != nil {
		return err
	}
	outputs, keep, err := k.runStep(ctx, feed)
	if err != nil {
		return err
	}
	return d.take(outputs, func(c layerCache, slots int) error {
		if keep[c.present] == "" {
			return nil
		}
		return k.fits(c, slots)
	})
}

// runStep runs one step and returns its outputs. keep maps each cache output that stays in the
// engine to the input that it becomes.
func (k *keeping) runStep(ctx context.Context, feed *tensor.Set) (outputs *tensor.Set,
	keep map[string]string, err error) {
	d := k.d
	keep = map[string]string{}
	for _, c := range d.layout.caches {
		if !c.Fixed || d.number == 0 && d.fixed[c.past.Name] == nil {
			keep[c.present] = c.past.Name
		}
	}
	if d.number > 0 && len(d.fixed) > 0 { // the engine does not keep given caches, so feed them again
		if feed, err = sets.With(feed, d.fixed); err != nil {
			return nil, nil, err
		}
	}
	start := time.Now()
	if outputs, err = k.loop.Step(ctx, feed, []string{d.layout.logits}, keep); err != nil {
		return nil, nil, err
	}
	d.made, d.took = k.loop.Provenance(), d.took+time.Since(start)
	return outputs, keep, nil
}

// fits returns an error if a cache kept in the engine does not have the expected type and shape.
func (k *keeping) fits(c layerCache, slots int) error {
	elem, shape, err := k.loop.Kept(c.past.Name)
	if err != nil {
		return err
	}
	return c.fits(elem, shape, len(k.d.ids), slots)
}

// end copies the caches out of the engine, once.
func (k *keeping) end() error {
	for _, c := range k.d.layout.caches {
		if c.Fixed && k.d.fixed[c.past.Name] != nil {
			continue
		}
		t, err := k.loop.Read(c.past.Name)
		if err != nil {
			return fmt.Errorf("cache %q: %w", c.present, err)
		}
		k.d.caches[c.past.Name] = t
	}
	return nil
}

func (k *keeping) close() {
	_ = k.loop.Close() // only frees memory
}
