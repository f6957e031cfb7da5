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

// LowerPrecision is what a format of fewer bits does by itself to the outputs of one model on given
// inputs. Package precision makes it, and [NoWorseThan] judges by it.
type LowerPrecision struct {
	// Format names it: "fp16".
	Format string
	// Float32 are the outputs of each iteration without rounding, in the same engine.
	Float32 []*tensor.Set
	// Runs are the outputs of each iteration with everything rounded in the format: first to the
	// nearest, then with the weights and inputs rounded on grids that are shifted by chance, which
	// makes errors of the same size that are independent.
	Runs [][]*tensor.Set
	// Stored is the element type in which an engine of the format may keep what it does not round
	// otherwise, outputs among it: no σ is less than its last rounding. Invalid is the outputs' own.
	Stored tensor.ElementType
	// Addends is the K of the longest sum of products that an engine may add up in the format, and
	// Sequential says that the engine under test adds its terms one after the other. Both widen the
	// bars of the root mean square as they do for [Noise.Sums].
	Addends    int
	Sequential bool
}

// PrecisionBars are what the errors of a lower precision may not exceed.
type PrecisionBars struct {
	// FalseAlarm is the probability of failing an engine that is no worse, in one comparison of all
	// outputs. 0 is 1e-4.
	FalseAlarm float64
	// Published uses AWS's gate as published ([threeWay]).
	Published bool
}

// NoWorseThan compares the errors of a lower-precision engine with the errors that its format alone
// causes on the same model. expected is in float32 or better.
//
// Two gates are computed for each output of floats, over all iterations. The deciding gate takes
// each error in units of its element's σ: the root mean square of the rounded runs' errors there,
// drawn towards the mean of a pool as in [Noise], and no less than the last rounding of the format
// or four last places of float32. It has two criteria:
//
//   - the root mean square of the errors is at most 1.5·√F times the rounded runs', or 1.5 times
//     that of the worst of them: over the whole output, and at each index of each of its axes that
//     has 16 elements or more. F is the quantile of the F distribution with ν and ν·n degrees of
//     freedom for n runs: what chance adds where elements are few or move together. The output and
//     each axis have equal shares of the false alarm probability, and so have the indices.
//   - the greatest error is less than 5 times the greatest of all rounded runs.
//
// ν is how many independent elements vary as much from run to run.
//
// The other is AWS's ([threeWay]). At equal quality its σ ratio is above 1 every other time, and
// its overlap of 0.99 takes thousands of elements, so it rejects good engines with few outputs.
// PrecisionBars.Published uses it.
//
// Elements that are not finite in some rounded runs are left out; an output of which nothing is
// left is an error, and so is a format that changes nothing. What is finite in no run must be
// the same NaN or infinity, and what is finite in all runs must be finite. Integers, bools and
// strings must be equal where the rounded runs agree.
//
// A result's Value is the greatest of the criteria over its bar, and its Limit 1; indices count
// if they err more than 1.5 times. Under Published there is no such number. The options are the
// same as for [Runs], but checks are ignored, and TopK and AnyShape are errors.
func NoWorseThan(actual, expected []*tensor.Set, lower *LowerPrecision, bars PrecisionBars,
	o Options) (Report, error) {
	bars.FalseAlarm = cmp.Or(bars.FalseAlarm, figures.DefaultFalseAlarm)
	if err := lower.usable(bars, len(expected), o); err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	pools, err := lower.pool(actual, expected, o)
	if err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	chosen, count := chosenBy(&o), 0
	for name := range pools {
		if chosen.takes(name) {
			count++
		}
	}
	return measuredRuns(actual, expected, o, &noWorse{}, func(i int, name string) rule {
		pool := pools[name]
		if pool == nil || !chosen.takes(name) {
			return nil
		}
		pool.conclude(lower, bars.FalseAlarm/float64(count))
		return &noWorse{format: lower.Format, pool: pool, iteration: i, falseAlarm: bars.FalseAlarm,
			published: bars.Published}
	})
}

// leastRounded is how many runs a LowerPrecision needs.
const leastRounded = 4

func (l *LowerPrecision) usable(bars PrecisionBars, iterations int, o Options) error {
	switch {
	case l == nil || len(l.Runs) < leastRounded:
		return fmt.Errorf("a lower precision needs %d runs or more", leastRounded)
	case o.Average:
		return errors.New("the errors of a lower precision are pooled over iterations already, so they " +
			"have no average")
	case o.AnyShape || len(o.TopK) > 0:
		return errors.New("the errors of a lower precision belong to single elements: " +
			"leave out AnyShape and TopK")
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
	pool       *pooled // nil where the rule was read from JSON, or nothing is known of the output
	iteration  int
	falseAlarm float64
	published  bool
}

func (w *noWorse) name() string { return "no_worse_than" }

func (w *noWorse) text() string {
	if w.published {
		return "no worse than " + w.format + ", by AWS's gate as published"
	}
	return "no worse than " + w.format + ", with " + figures.FalseAlarm(w.falseAlarm)
}

func (w *noWorse) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: w.falseAlarm, format: w.format,
		published: w.published}
}

func (w *noWorse) measure(p pair, r *Result, _ int) error {
	r.Value, r.Limit = nan, nan
	if w.pool == nil {
		return errors.New("nothing is known of what a lower precision does to it")
	}
	holdings := w.pool.held[w.iteration]
	if !slices.ContainsFunc(holdings, func(h holding) bool { return h != free }) {
		r.hollow = hollow("keep what overflows in float32, or hold it otherwise",
			"%s leaves no element to compare", w.format)
		return nil
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
			if d := w.pool.actual[w.iteration][i]; d-d != 0 {
				differ++
			}
		}
	}
	var parts []string
	if differ > 0 {
		r.Mismatches, r.Verdict = differ, Fail
		parts = append(parts, fmt.Sprintf("%d elements differ that %s does not change", differ, w.format))
	}
	parts = append(parts, w.conclude(r)...)
	if w.pool.overflows > 0 {
		parts = append(parts, fmt.Sprintf("%d elements left out, which overflow in %s", w.pool.overflows,
			w.format))
	}
	if len(parts) == 0 {
		parts = append(parts, "equal")
	}
	r.Text = strings.Join(parts, "; ")
	return nil
}

// conclude adds the verdict over all iterations, which the worst of them bears.
func (w *noWorse) conclude(r *Result) []string {
	p := w.pool
	if !p.concluded {
		return nil
	}
	if w.iteration != p.worst {
		return []string{fmt.Sprintf("judged with iteration %d, the worst", p.worst)}
	}
	by := p.rejectedBy
	if w.published {
		by = p.published
	} else {
		r.Value, r.Limit = max(p.whole.overBar(), p.part.overBar(), p.greatest/p.greatestBar), 1
	}
	if len(by) == 0 {
		return []string{p.text(w.format)}
	}
	r.Verdict = Fail
	return []string{"rejected by " + strings.Join(by, " and ") + ": " + p.text(w.format)}
}

func (w *noWorse) reason(r *Result) string {
	return "worse than " + w.format + ": " + r.Text
}
