package noise

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// sampler makes runs of one model that differ only in their rounding errors.
type sampler struct {
	reordered bool
	moved     string // which numbers changed because sums were not reordered, and why; may be ""
	next      func(context.Context) ([]*tensor.Set, error)
	addends   int // the number of terms in the longest dot product so far
	convolved int // the same for convolutions, if sums are reordered
	close     func()
}

// sampler returns a sampler that reorders the model's sums in a single session. If that is
// impossible, the returned sampler replaces the model's weights and inputs by neighbouring numbers
// instead.
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
	return m.moving(s, "sums cannot be reordered ("+why+"), so each run changes the weights and "+
		"inputs by one unit in the last place instead"), nil
}

// reordered opens the rewritten model. If the model is large, its weights become inputs, because
// the session would otherwise keep a copy of them. If the engine rejects weights as inputs, for
// example because an operator needs constant weights, the weights stay inside the model.
func (m *meter) reordered(ctx context.Context, s settingsOf) (of *sampler, err error) {
	forms, err := m.forms()
	for _, f := range forms {
		of, err = m.session(ctx, s, f.model, f.inputs)
		if err == nil || errors.Is(err, ErrExact) {
			break
		}
	}
	return of, err
}

// seedsApart separates the random seeds of different measurements: the measurement with seed n
// numbers its random nodes' seeds from n·seedsApart. Each random node uses one seed, so no two
// measurements share a seed.
const seedsApart = 100_000

// session opens the rewritten model. It makes the first run at once, so that it can return an error
// if the engine cannot run the model.
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
		return run.Outputs(), err
	}
	first, err := next(ctx)
	if err != nil {
		backend.Close() //nolint:errcheck // the run's error says more
		return nil, err
	}
	return &sampler{reordered: true, moved: r.Text(), addends: r.Addends, convolved: r.Convolved,
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

// moving returns a sampler that replaces all weights and inputs by neighbouring numbers. why says
// why the sampler does not reorder sums.
func (m *meter) moving(s settingsOf, why string) *sampler {
	m.bare = form{}
	k := 0
	fixed := reorder.Fixed(m.model)
	of := &sampler{moved: why, close: func() {}}
	of.next = func(ctx context.Context) ([]*tensor.Set, error) {
		j := jitter{random: rand.New(rand.NewPCG(uint64(s.seed), uint64(k)))}
		k++
		inputs, err := j.inputs(m.inputs, fixed)
		if err != nil {
			return nil, err
		}
		outputs, err := m.run(ctx, inputs, func(c loaders.Constant) (*tensor.Tensor, error) {
			for _, u := range c.Uses {
				of.addends = max(of.addends, u.Addends)
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
	}
	return of
}

// Sequential returns the value of [compare.Noise.Sequential] for a comparison of the given engines,
// some of which may be nil. The value is the largest number of terms that any of the engines may
// add sequentially, or 0 if the measured noise already covers such sums.
func Sequential(of *compare.Noise, engines ...backends.Engine) int {
	longest := 0
	for _, engine := range engines {
		if engine != nil {
			longest = max(longest, sequential(of, backends.CapabilitiesOf(engine).Chain))
		}
	}
	return longest
}

// SequentialIn is [Sequential] for the engines that made the runs. A run may be nil or come from a
// file.
func SequentialIn(of *compare.Noise, runs ...*backends.Run) int {
	longest := 0
	for _, run := range runs {
		switch {
		case run == nil:
		case run.Subject().Engine != nil:
			longest = max(longest, Sequential(of, run.Subject().Engine))
		case run.Provenance.Provider == "CPUExecutionProvider":
		default:
			longest = max(longest, sequential(of, nil))
		}
	}
	return longest
}

// strip is the number of terms that ONNX Runtime's CPU kernels add sequentially before they
// combine the partial sums. Noise that is measured with these kernels therefore includes the errors
// of sequential sums of up to strip terms.
const strip = 128

func sequential(of *compare.Noise, chain func(op string) int) int {
	longest := of.Addends
	if chain != nil {
		longest = max(min(chain("MatMul"), of.Addends), min(chain("Conv"), of.Convolved))
	}
	if longest <= strip { // the runs show such errors themselves
		return 0
	}
	return longest
}
