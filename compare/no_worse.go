package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// LowerPrecision contains the errors that a number format with fewer bits, such as fp16, causes by
// itself in the outputs of one model on given inputs. Package precision measures them, and
// [NoWorseThan] derives its limits from them.
type LowerPrecision struct {
	// Format is the name of the lower precision, such as "fp16".
	Format string
	// Float32 contains the outputs of each iteration in float32, from the same engine as Runs.
	Float32 []*tensor.Set
	// Runs contains, for each run, the outputs of each iteration, with every value rounded to the
	// format. The first run rounds to nearest. The other runs round the weights and inputs on randomly
	// shifted grids, which gives independent errors of the same size.
	Runs [][]*tensor.Set
	// Stored is the element type in which an engine of the format may keep values that it does not
	// round otherwise, such as its outputs. No σ is smaller than the rounding error of this type.
	// tensor.Invalid stands for each output's own type.
	Stored tensor.ElementType
	// Addends is the number of terms in the longest dot product that an engine may accumulate in the
	// format.
	Addends int
	// Sequential is Addends if the engine under test adds the terms of such sums one after the other,
	// and otherwise 0. The limits of the root mean square grow with it, as in [Noise.Sums].
	Sequential int
}

// NoWorseThan compares the errors of a lower-precision engine with the errors that its number
// format alone causes on the same model. The latter come from the rounded runs, in which all values
// are rounded to the format. The expected side must be in float32 or better.
//
// A float output is judged over all iterations together. Each error is divided by the σ of its
// element. σ is the root mean square of the rounded runs' errors in that element. As in [Noise], σ
// is shrunk towards the mean of a group of elements. σ is at least the error of a single rounding
// to the format, and at least four units in the last place of float32.
//
// There are two criteria. The first one uses ν, the effective number of independent elements. If
// the errors of elements depend on each other, ν is less than the number of elements. The criteria
// are:
//
//   - The root mean square of the errors is at most 1.5·√F times the rounded runs' root mean
//     square, or at most 1.5 times the worst rounded run's. This must hold for the whole output,
//     and at each index of each axis (a class, a channel, a row) that has at least 16 elements over
//     all iterations. F is a quantile of the F distribution with ν and ν·n degrees of freedom for n
//     runs; it allows for chance if there are few elements, or if the errors of elements depend on
//     each other. The false-alarm probability is divided equally between the whole output and the
//     axes, and the share of an axis is divided equally between its indices.
//   - The largest error is less than 5 times the largest error of all rounded runs.
//
// Elements that are finite in only some rounded runs are left out. It is an error if no element of
// an output remains, or if the format changes nothing. If an element is finite in no rounded run,
// the engine must give the expected NaN or infinity. If it is finite in all of them, the engine
// must give a finite number. Integers, bools and strings must be equal wherever the rounded runs
// agree.
//
// Each criterion compares a number with a limit. The Value of a result is the largest ratio of
// number to limit, and its Limit is 1. Value leaves out the indices of an axis at which the root
// mean square is at most 1.5 times the rounded runs', because these indices always pass.
//
// The options are the options of [Runs], but checks are ignored, and Average, TopK and AnyShape are
// errors.
func NoWorseThan(actual, expected []*tensor.Set, lower *LowerPrecision, bars Bars,
	o Options) (Report, error) {
	bars.FalseAlarm = cmp.Or(bars.FalseAlarm, figures.DefaultFalseAlarm)
	if err := lower.usable(bars, len(expected), o); err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	o = o.paired(actual, expected)
	pools, err := lower.pool(actual, expected, o)
	if err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	return measuredRuns(actual, expected, o, &noWorse{}, func(i int, name string) rule {
		pool := pools[name]
		if pool == nil {
			return nil
		}
		pool.conclude(lower, bars.FalseAlarm/float64(len(pools)))
		return &noWorse{format: lower.Format, pool: pool, iteration: i, falseAlarm: bars.FalseAlarm}
	})
}

func (l *LowerPrecision) usable(bars Bars, iterations int, o Options) error {
	switch {
	case l == nil || len(l.Runs) < leastRuns:
		return fmt.Errorf("LowerPrecision has too few Runs: want %d or more", leastRuns)
	case o.Average:
		return errors.New("NoWorseThan already covers all iterations: leave out Average")
	case o.AnyShape || len(o.TopK) > 0:
		return errors.New("NoWorseThan compares element by element: leave out AnyShape and Options.TopK")
	}
	for _, run := range append([][]*tensor.Set{l.Float32}, l.Runs...) {
		if len(run) != iterations {
			return fmt.Errorf("%s was measured on %d iterations, and the expected run has %d", l.Format,
				len(run), iterations)
		}
	}
	return alarm(bars.FalseAlarm)
}

// noWorse is the rule of [NoWorseThan] for one output of one iteration.
type noWorse struct {
	measuredRule
	format     string
	pool       *pooled // nil if the rule was read from JSON or the output was not measured
	iteration  int
	falseAlarm float64
}

func (w *noWorse) name() string { return "no_worse_than" }

func (w *noWorse) text() string {
	return "no worse than " + w.format + ", with " + figures.FalseAlarm(w.falseAlarm)
}

func (w *noWorse) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: w.falseAlarm, format: w.format}
}

func (w *noWorse) measure(p pair, r *Result) error {
	r.Value, r.Limit = nan, nan
	if w.pool == nil {
		return errors.New("the errors of the lower precision were not measured for this output")
	}
	from, to := w.pool.bounds(w.iteration)
	holdings := w.pool.held[from:to]
	if !slices.ContainsFunc(holdings, func(h holding) bool { return h != free }) {
		r.hollow = hollow("keep the overflowing layers in float32, or use a different rule",
			"rounding to %s leaves nothing to compare: floats overflow, or integers change", w.format)
		return nil
	}
	if w.pool.floats && !slices.Contains(holdings, byError) {
		r.hollow = nothingFinite()
	}
	differ := 0
	for i, held := range holdings {
		switch {
		case held == byEquality && w.pool.floats:
			if !alike(p.actual.Float64At(i), p.expected.Float64At(i)) {
				differ++
			}
		case held == byEquality:
			if valueOf(p.actual, i) != valueOf(p.expected, i) {
				differ++
			}
		case held == byError:
			if d := w.pool.actual[from+i]; d-d != 0 {
				differ++
			}
		}
	}
	var parts []string
	if differ > 0 {
		r.Mismatches, r.Verdict = differ, Fail
		parts = append(parts, fmt.Sprintf("%d elements differ in a way that rounding to %s "+
			"cannot explain", differ, w.format))
	}
	parts = append(parts, w.conclude(r)...)
	if w.pool.overflows > 0 {
		parts = append(parts, fmt.Sprintf("%d elements that overflow in %s are left out",
			w.pool.overflows, w.format))
	}
	if len(parts) == 0 {
		parts = append(parts, "equal")
	}
	r.Text = strings.Join(parts, "; ")
	return nil
}

// conclude adds the verdict over all iterations to r, if r is the result of the worst iteration. It
// returns the lines of r's text.
func (w *noWorse) conclude(r *Result) []string {
	p := w.pool
	if !p.concluded {
		return nil
	}
	if w.iteration != p.worst {
		return []string{fmt.Sprintf("see iteration %d, the worst one", p.worst)}
	}
	r.Value, r.Limit = max(p.whole.overLimit(), p.part.overLimit(), p.greatest/mostGreatest), 1
	if len(p.rejectedBy) == 0 {
		return []string{p.text(w.format)}
	}
	r.Verdict = Fail
	return []string{"rejected by " + strings.Join(p.rejectedBy, " and ") + ": " + p.text(w.format)}
}

func (w *noWorse) reason(r *Result) string {
	return "worse than " + w.format + ": " + r.Text
}
