package noise

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
)

// Reference is the noise by which two runs are compared, and its source.
type Reference struct {
	Noise *compare.Noise
	// Kept means that the noise came from the expected run's file and was not measured.
	Kept bool

	engine string        // in which it was measured
	run    *backends.Run // a run that can be repeated, or nil
}

// Between returns the noise for comparing an actual run with an expected one. It uses, in this
// order: noise stored in the expected run's file; the expected run's noise, measured in
// its engine ([Of]); the actual run's noise, if the expected run came from a file. If engine is not
// nil, it measures in that engine instead. Either run may be nil.
//
// It fails for the reasons [Of] does, if stored noise belongs to a different model or inputs, and
// if neither run can be repeated.
func Between(actual, expected *backends.Run, engine backends.Engine, options ...Option) (
	*Reference, error) {
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	r := &Reference{}
	for _, run := range []*backends.Run{expected, actual} {
		if run != nil && r.run == nil && run.Subject().Repeatable() == nil {
			r.run = run
		}
	}
	if r.run != nil {
		if ctx, err := backends.ContextOf(r.run, actual); err == nil {
			r.run = r.run.Under(ctx)
		}
	}
	if expected != nil {
		n, noise, err := storedNoise(expected)
		if err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
		if n != nil && n.Runs == s.runs && (engine == nil || engine.Text() == n.EngineText) {
			r.Noise, r.Kept, r.engine = noise, true, n.Engine
			if r.run != nil && r.run.Provenance.ModelSHA256 != n.ModelSHA256 {
				r.run = nil // the power in another model would mean nothing
			}
			return r, nil
		}
	}
	if r.run == nil {
		return nil, errors.New("noise: neither run has an engine to measure noise in; give such a run, " +
			"a file with stored noise, or a tolerance")
	}
	if subject := r.run.Subject(); engine != nil && engine != subject.Engine {
		ctx, err := backends.ContextOf(r.run)
		if err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
		r.run, err = backends.RunIn(ctx, engine, subject.Model, subject.Inputs)
		if err != nil {
			return nil, fmt.Errorf("noise: measuring in %v: %w", engine, err)
		}
	}
	r.engine = fmt.Sprint(r.run.Subject().Engine)
	r.Noise, err = Of(r.run, options...)
	return r, err
}

// Measured measures the run's noise, in engine unless it is nil, and stores it in the run's notes,
// so that its golden or JSON file contains it and later comparisons need not measure.
func Measured(run *backends.Run, engine backends.Engine, options ...Option) (*backends.Run, error) {
	r, err := Between(nil, run.WithoutNote(noteName), engine, options...)
	if err != nil {
		return nil, err
	}
	return keep(run, r.run, r.Noise)
}

// Text describes the source of the noise and the smallest faults that a comparison with these bars
// is certain to catch. Finding them takes about 18 runs ([Power]).
func (r *Reference) Text(bars compare.NoiseBars) string {
	var b strings.Builder
	fmt.Fprintf(&b, "noise of %d runs in %s", r.Noise.Runs, r.engine)
	if r.Kept {
		b.WriteString(", kept in the expected file")
	}
	if r.Noise.Addends > 0 {
		fmt.Fprintf(&b, "; sums of up to %d addends widen it by a factor of %.2g",
			r.Noise.Addends, r.Noise.Sums())
	}
	for _, limit := range r.Noise.Limits() {
		b.WriteString("\n" + limit)
	}
	b.WriteString("\n" + r.power(bars))
	return b.String()
}

func (r *Reference) power(bars compare.NoiseBars) string {
	if r.run == nil {
		return "its power is unknown: neither side can run the model on which it was measured"
	}
	var planted []Planted
	ctx, err := backends.ContextOf(r.run)
	if err == nil {
		planted, err = Power(ctx, r.run.Subject(), r.Noise, bars)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("its power is unknown: %v", err)
	case len(planted) == 0:
		return "its power is unknown: the model has no weighted layers"
	}
	var caught, hidden string
	for _, p := range planted {
		if math.IsInf(p.Change, 1) {
			hidden += "\n    " + p.where()
		} else {
			caught += "\n    " + p.String()
		}
	}
	var parts []string
	if caught != "" {
		parts = append(parts, "it is sure to catch a change of"+caught)
	}
	if hidden != "" {
		parts = append(parts, "it misses even a change of 100 % of"+hidden)
	}
	text := strings.Join(parts, "\n")
	if r.Kept {
		text = fmt.Sprintf("by faults planted in %v, %s", r.run.Subject().Engine, text)
	}
	return text
}
