package noise

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
)

// Reference is the noise that two runs are judged by, and where it comes from.
type Reference struct {
	Noise *compare.Noise
	// Kept says that the file of the expected run held it, so that nothing was measured.
	Kept bool

	engine string        // that it was measured in
	run    *backends.Run // that can be repeated; nil where neither side can
}

// Between returns the noise to judge an actual run by, against an expected one: what the expected
// run's file holds ([Keep]); else that of the expected run, measured in its engine ([Of]); else,
// where that run came from a file, that of the actual run. engine names another engine to measure
// in; nil leaves the runs' own. Either run may be nil.
//
// Errors: those of [Of]; noise in a file that belongs to a different model or inputs; two runs of
// which neither can be repeated.
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
		n, noise, err := kept(expected)
		if err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
		if n != nil && n.Runs == s.runs && (engine == nil || engine.Text() == n.EngineText) {
			r.Noise, r.Kept, r.engine = noise, true, n.Engine
			if r.run != nil && r.run.Provenance.ModelSHA256 != n.ModelSHA256 {
				r.run = nil // power in another model would say nothing
			}
			return r, nil
		}
	}
	if r.run == nil {
		return nil, errors.New("noise: neither side is a run of an engine, so no noise can be " +
			"measured: give a run, a file that holds its noise, or a tolerance")
	}
	if subject := r.run.Subject(); engine != nil && engine != subject.Engine {
		ctx, err := backends.ContextOf(r.run)
		if err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
		r.run, err = backends.RunIn(ctx, engine, subject.Model, subject.Inputs)
		if err != nil {
			return nil, fmt.Errorf("noise: to be measured in %v: %w", engine, err)
		}
	}
	r.engine = fmt.Sprint(r.run.Subject().Engine)
	r.Noise, err = Of(r.run, options...)
	return r, err
}

// Measured returns the run with its noise kept in its notes, measured in an engine of its own where
// engine is not nil. See [Keep].
func Measured(run *backends.Run, engine backends.Engine, options ...Option) (*backends.Run, error) {
	r, err := Between(nil, run.WithoutNote(noteName), engine, options...)
	if err != nil {
		return nil, err
	}
	return Keep(run, r.run, r.Noise)
}

// Text says in lines where the noise comes from, and what a comparison under these bars is sure to
// catch, which takes some 18 runs ([Power]).
func (r *Reference) Text(bars compare.NoiseBars) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the noise is of %d runs in %s", r.Noise.Runs, r.engine)
	if r.Kept {
		b.WriteString(", kept in the expected file")
	}
	if r.Noise.Addends > 0 {
		fmt.Fprintf(&b, "; sums of up to %d addends widen it by %.2g", r.Noise.Addends, r.Noise.Sums())
	}
	for _, limit := range r.Noise.Limits() {
		b.WriteString("\n" + limit)
	}
	b.WriteString("\n" + r.power(bars))
	return b.String()
}

func (r *Reference) power(bars compare.NoiseBars) string {
	if r.run == nil {
		return "its power cannot be found: neither side can run the model that it was measured on"
	}
	var planted []Planted
	ctx, err := backends.ContextOf(r.run)
	if err == nil {
		planted, err = Power(ctx, r.run.Subject(), r.Noise, bars)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("its power could not be found: %v", err)
	case len(planted) == 0:
		return "its power could not be found: the model multiplies with no weights"
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
		parts = append(parts, "it catches no change up to 100 % of"+hidden)
	}
	text := strings.Join(parts, "\n")
	if r.Kept {
		text = fmt.Sprintf("planted in %v, %s", r.run.Subject().Engine, text)
	}
	return text
}

// Judge holds runs to each other by noise, and notes down what each judgement rests on.
type Judge struct {
	Bars    compare.NoiseBars
	Options compare.Options // without checks
	// Notes are one text for each comparison: see [Reference.Text].
	Notes []string
	// Noise is what the last comparison was judged by.
	Noise *compare.Noise
}

// Compare is compare.WithinNoise of two runs by the noise [Between] them.
func (j *Judge) Compare(actual, expected *backends.Run) (compare.Report, error) {
	r, err := Between(actual, expected, nil)
	if err != nil {
		return compare.Report{}, err
	}
	report, err := compare.WithinNoise(actual.Outputs(), expected.Outputs(), r.Noise, j.Bars,
		j.Options)
	if err == nil {
		j.Notes, j.Noise = append(j.Notes, r.Text(j.Bars)), r.Noise
	}
	return report, err
}
