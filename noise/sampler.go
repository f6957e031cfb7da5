package noise

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// sampler makes runs that differ by rounding only.
type sampler struct {
	reordered bool
	moved     string // what moved instead of being reordered, and why; "" if nothing did
	next      func(context.Context) ([]*tensor.Set, error)
	addends   func() int // the longest sum of products so far
	close     func()
}

// sampler reorders the model's sums, in one session, or else moves its numbers.
func (m *meter) sampler(ctx context.Context, s settingsOf) (*sampler, error) {
	why := fmt.Sprintf("%v was chosen", m.engine)
	if !m.given {
		of, err := m.reordered(ctx, s)
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		if err == nil || errors.Is(err, ErrExact) {
			return of, err
		}
		why = err.Error()
	}
	return m.moving(s, "all weights and inputs moved, since sums cannot be reordered: "+why), nil
}

// reordered rewrites the model and opens it.
func (m *meter) reordered(ctx context.Context, s settingsOf) (of *sampler, err error) {
	for _, form := range m.forms() {
		model, sets, wrong := form()
		if wrong != nil {
			return nil, wrong
		}
		if of, err = m.session(ctx, s, model, sets); err == nil || errors.Is(err, ErrExact) {
			return of, err
		}
	}
	return nil, err
}

// seedsApart is the distance of the seeds of two measurements, each of which numbers its own.
const seedsApart = 100_000

// session opens the rewritten model and makes the first run, which may fail.
func (m *meter) session(ctx context.Context, s settingsOf, model *loaders.Model,
	sets []*tensor.Set) (*sampler, error) {
	inferred, err := m.inferred(ctx)
	if err != nil {
		return nil, err
	}
	infer := func(body *loaders.Model) (*loaders.Model, error) {
		return edit.InferShapes(ctx, body, ort.EditEngine())
	}
	r, err := reorder.Of(model, inferred, infer, int(s.seed)*seedsApart)
	if err == nil && r.Rounds == 0 {
		err = ErrExact
	}
	if err != nil {
		return nil, err
	}
	inputs := fixtures.Of(sets...)
	backend, err := m.engine.Open(passing.Context(ctx), r.Model, inputs)
	if err != nil {
		return nil, err
	}
	next := func(ctx context.Context) ([]*tensor.Set, error) {
		run, err := backend.Run(passing.Context(ctx), inputs)
		if err != nil {
			return nil, err
		}
		return run.Outputs(), nil
	}
	first, err := next(ctx)
	if err != nil {
		backend.Close() //nolint:errcheck // the run's error says more
		return nil, err
	}
	return &sampler{reordered: true, moved: r.Text(), addends: func() int { return r.Addends },
		close: func() { backend.Close() }, //nolint:errcheck // it was only read
		next: func(ctx context.Context) ([]*tensor.Set, error) {
			if first != nil {
				outputs := first
				first = nil
				return outputs, nil
			}
			return next(ctx)
		}}, nil
}

// moving moves all weights and inputs to neighbouring numbers.
func (m *meter) moving(s settingsOf, why string) *sampler {
	m.bare, m.fed = nil, nil
	k, addends := 0, 0
	fixed := reorder.Fixed(m.model)
	return &sampler{moved: why, addends: func() int { return addends }, close: func() {},
		next: func(ctx context.Context) ([]*tensor.Set, error) {
			j := newJitter(s.seed, k)
			k++
			inputs := make([]*tensor.Set, len(m.inputs))
			for i, set := range m.inputs {
				var err error
				if inputs[i], err = j.set(set, fixed); err != nil {
					return nil, err
				}
			}
			outputs, err := m.run(ctx, inputs, func(c loaders.Constant) (*tensor.Tensor, error) {
				for _, u := range c.Uses {
					addends = max(addends, u.Addends)
				}
				if fixed[c.Name] {
					return nil, nil
				}
				return j.constant(c), nil
			})
			if err == nil && j.moved == 0 {
				err = errNothingMoves
			}
			return outputs, err
		}}
}

// Sequential reports whether any of the runs is from an engine that adds terms one after the other.
func Sequential(runs ...*backends.Run) bool {
	for _, run := range runs {
		if run == nil {
			continue
		}
		if engine := run.Subject().Engine; engine != nil {
			if of := backends.CapabilitiesOf(engine).Sequential; of != nil && of() {
				return true
			}
		} else if run.Provenance.Backend == "tract" {
			return true
		}
	}
	return false
}
