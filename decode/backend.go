package decode

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/tensor"
)

// backend runs a decoder step by step in a different engine, the inner engine.
type backend struct {
	engine   engine
	settings *settings
	layout   *layout
	model    fixtures.Declaration
	of       backends.Backend
}

// Open finds the model's caches and opens the model in the inner engine, for the input shapes of
// the first, the second and the last step.
func (e engine) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	if e.takesFrames() {
		return e.openStream(ctx, model, inputs)
	}
	b, err := e.drives(model)
	if err != nil {
		return nil, err
	}
	if b.of, err = e.inner.Open(ctx, model, b.shapes(inputs)); err != nil {
		return nil, err
	}
	return b, nil
}

// drives returns a backend that decodes tokens with the model, step by step. The caller must still
// open the model in the inner engine.
func (e engine) drives(model fixtures.Declaration) (*backend, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	if e.inner == nil {
		return nil, errNoEngine
	}
	l, err := layoutOf(model, s.Names)
	if err != nil {
		return nil, err
	}
	return &backend{engine: e, settings: s, layout: l, model: model}, nil
}

// Close closes the model.
func (b *backend) Close() error { return b.of.Close() }

// Run decodes each set of inputs as one iteration. An iteration's runtime is the time that its
// steps spent in the engine.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return b.engine.collect(ctx, b.model, inputs, b.layout.shape(b.settings),
		func(ctx context.Context, set *tensor.Set) (of backends.Iteration, made backends.Provenance,
			err error) {
			d, err := b.decode(ctx, set)
			if err != nil {
				return of, made, err
			}
			outputs, err := d.outputs()
			return backends.Iteration{Outputs: outputs, Runtime: d.took}, d.made, err
		})
}

// collect runs infer for each set of inputs and collects the iterations in a run. infer returns an
// iteration, with the time spent in the inner engine, and that engine's provenance. The run's
// provenance is the inner engine's, with the decoding options added. roles is stored as a note of
// the run.
func (e engine) collect(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs,
	roles shape, infer func(context.Context, *tensor.Set) (backends.Iteration, backends.Provenance,
		error)) (*backends.Run, error) {
	var made backends.Provenance
	var times []time.Duration
	run, err := backends.Collect(ctx, backends.Provenance{Backend: e.inner.String()},
		backends.Subject{Engine: e, Model: model}, inputs,
		func(ctx context.Context, set *tensor.Set) (*tensor.Set, error) {
			of, p, err := infer(ctx, set)
			made, times = p, append(times, of.Runtime)
			return of.Outputs, err
		})
	if err != nil {
		return nil, err
	}
	for i, took := range times {
		run.Iterations()[i].Runtime = took
	}
	p := &run.Provenance
	ran := func() tally.Run {
		return tally.Run{Engine: p.String(), Name: p.Backend, Version: p.Version, Model: p.Model}
	}
	collected := ran()
	p.Backend, p.Version, p.Provider = made.Backend, made.Version, made.Provider
	p.Model, p.ModelSHA256, p.Computed = made.Model, made.ModelSHA256, made.Computed
	p.Options = maps.Clone(made.Options)
	if p.Options == nil {
		p.Options = map[string]string{}
	}
	p.Options["decode"] = e.words()
	if !passing.In(ctx) {
		tally.Replace(collected, ran())
	}
	note, err := json.Marshal(roles)
	if err != nil {
		return nil, err
	}
	return run.WithNotes(map[string]json.RawMessage{noteName: note}), nil
}

// decode runs all steps for one set of inputs.
func (b *backend) decode(ctx context.Context, set *tensor.Set) (*drive, error) {
	d, err := newDrive(b.layout, b.settings, set)
	if err != nil {
		return nil, err
	}
	steps, err := b.stepper(d)
	if err != nil {
		return nil, err
	}
	defer steps.close()
	for !d.done() {
		// An engine may finish its step although the context was cancelled, so check before every step.
		if err := context.Cause(ctx); err != nil {
			return nil, d.at(err)
		}
		if err := steps.step(ctx); err != nil {
			return nil, d.at(err)
		}
		d.report(ctx)
		if at := d.settings.Rollback; at != nil && d.past == at[0] {
			if err := steps.draft(ctx, at[1]); err != nil {
				return nil, fmt.Errorf("rolled-back tokens: %w", d.at(err))
			}
		}
	}
	return d, steps.end()
}

// shapes replaces each set of inputs with the inputs of its first, second and last steps. An engine
// that is built for specific shapes can thus be built for all shapes that will occur.
func (b *backend) shapes(inputs fixtures.Inputs) fixtures.Inputs {
	return mapped(inputs, "the steps of "+inputs.Origin().Text, b.blanks)
}

// blanks returns inputs with the shapes of the first, second and last steps and, with [Rollback],
// of the step that feeds the draft tokens. All caches in these inputs are zero.
func (b *backend) blanks(set *tensor.Set) ([]*tensor.Set, error) {
	d, err := newDrive(b.layout, b.settings, set)
	if err != nil {
		return nil, err
	}
	var sets []*tensor.Set
	add := func(feed func() (*tensor.Set, error)) error {
		if err := d.blank(); err != nil {
			return err
		}
		set, err := feed()
		sets = append(sets, set)
		return err
	}
	for !d.done() {
		n := d.size()
		if d.number < 2 || d.past+n >= d.total {
			if err := add(d.feed); err != nil {
				return nil, err
			}
		}
		d.skip(n)
		if at := b.settings.Rollback; at != nil && d.past == at[0] {
			if err := add(func() (*tensor.Set, error) { return d.draftInputs(at[1]) }); err != nil {
				return nil, err
			}
		}
	}
	return sets, nil
}

// at wraps an error of the current step. It adds the step's number and the position of the step's
// first token.
func (d *drive) at(err error) error {
	return fmt.Errorf("step %d, from token %d: %w", d.number, d.past, err)
}
