package noise

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
)

// Reference describes the noise that limits how far two runs may differ, and how it was measured.
type Reference struct {
	Noise *compare.Noise

	kept *note // the note in the expected run's file; nil if the noise was measured
	// engine and engineText are the String and Text of the engine that measured the noise.
	engine, engineText string
	given              backends.Engine // the engine that the user chose to measure, or nil; see [In]
	run                *backends.Run   // a run that can be repeated, or nil
	took               time.Duration   // how long measuring took
}

// Kept reports whether the noise was read from the expected run's file instead of being measured.
func (r *Reference) Kept() bool { return r.kept != nil }

// Between returns the noise for comparing an actual run with an expected run. Either run may be
// nil. If the expected run's file contains noise, Between uses it, unless [In] or [Runs] asks for a
// different engine or number of runs. Otherwise Between measures the noise with [Of].
//
// Between returns an error for the same reasons as [Of]. It also returns an error if stored noise
// belongs to a different model or other inputs, or if neither run can be repeated.
func Between(actual, expected *backends.Run, options ...Option) (*Reference, error) {
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	engine := s.engine
	r := &Reference{given: engine}
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
		if n != nil && (s.runs == 0 || n.Runs == s.runs) &&
			(engine == nil || engine.Text() == n.EngineText) {
			noise.Sequential = SequentialIn(noise, actual, expected)
			r.Noise, r.kept, r.engine = noise, n, n.Engine
			if r.run != nil && r.run.Provenance.ModelSHA256 != n.ModelSHA256 {
				r.run = nil // the power of a comparison of another model would mean nothing
			}
			return r, nil
		}
	}
	if r.run == nil {
		return nil, errors.New("noise: neither run can be repeated in an engine; pass a run of an " +
			"engine or a file with stored noise, or set a tolerance")
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
	measuring := engine
	if measuring == nil {
		measuring, err = reference(r.run.Subject().Engine)
	} else {
		err = r.run.Provenance.NotFloat32()
	}
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	r.engine, r.engineText = measuring.String(), measuring.Text()
	start := time.Now()
	measured, err := Of(r.run, options...)
	if err != nil {
		return nil, err
	}
	r.took = time.Since(start)
	noise := *measured
	noise.Sequential = SequentialIn(measured, actual, expected)
	r.Noise = &noise
	return r, nil
}

// Measured measures the noise of a run, and stores the noise in the run's notes. The run's golden
// or JSON file then contains the noise, and later comparisons need not measure it.
func Measured(run *backends.Run, options ...Option) (*backends.Run, error) {
	r, err := Between(nil, run.WithoutNote(noteName), options...)
	if err != nil {
		return nil, err
	}
	return r.keep(run)
}

// planted measures which faults [compare.WithinNoise] catches with this noise; see [Power].
func (r *Reference) planted(bars compare.Bars) ([]Planted, error) {
	ctx, err := backends.ContextOf(r.run)
	if err != nil {
		return nil, err
	}
	return Power(ctx, r.run.Subject(), r.Noise, bars, In(r.given))
}

// Text describes where the noise comes from, and the smallest faults that a comparison by this
// noise ([compare.WithinNoise]) is certain to catch. bars contains the settings of that comparison.
// If the expected run's file does not say which faults these are, Text finds them, which takes
// about 18 runs ([Power]).
func (r *Reference) Text(bars compare.Bars) string {
	var b strings.Builder
	fmt.Fprintf(&b, "noise of %d runs in %s", r.Noise.Runs, r.engine)
	if r.Noise.Reordered {
		b.WriteString(" with sums in random orders")
	}
	if r.kept != nil {
		b.WriteString(", kept in the expected file")
	}
	longest := r.Noise.Sequential
	if !r.Noise.Reordered {
		longest = r.Noise.Addends
	}
	if longest > 0 {
		fmt.Fprintf(&b, "; sums of up to %d terms widen it by a factor of %.2g", longest,
			r.Noise.Sums())
	}
	if r.took >= time.Second {
		fmt.Fprintf(&b, "\nmeasuring it took %.0f s", r.took.Seconds())
	}
	for _, limit := range r.Noise.Limits() {
		b.WriteString("\n" + limit)
	}
	b.WriteString("\n" + r.power(bars))
	return b.String()
}

func (r *Reference) power(bars compare.Bars) string {
	var planted []Planted
	var err error
	switch {
	case r.kept != nil && bars == (compare.Bars{}) && r.Noise.Sequential == 0:
		if planted = r.kept.power(); r.kept.NoPower != "" {
			err = errors.New(r.kept.NoPower)
		}
	case r.run == nil:
		return "cannot tell which faults this comparison would catch: neither side can run the model " +
			"whose noise was measured"
	default:
		planted, err = r.planted(bars)
	}
	if err != nil {
		return fmt.Sprintf("cannot tell which faults this comparison would catch: %v", err)
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
		parts = append(parts, "the comparison is sure to catch a change of"+caught)
	}
	if hidden != "" {
		parts = append(parts, "the comparison may miss even a change of 100 % of"+hidden)
	}
	return strings.Join(parts, "\n")
}
