package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Bars contains the settings for the limits of [WithinNoise] and [NoWorseThan].
type Bars struct {
	// FalseAlarm is the probability that a correct engine fails a comparison, which covers all outputs
	// and iterations. 0 means 1e-4.
	FalseAlarm float64
}

// WithinNoise compares two runs iteration by iteration, and passes if rounding explains the
// differences.
//
// Two numbers decide for each float output: the root mean square of the errors divided by the root
// mean square of σ, and the largest of the errors, each divided by the σ of its element. σ² is the
// measured variance plus 1/12 of the squared distance between neighbouring numbers, for the last
// rounding. Each of the two numbers has a limit.
//
// The false-alarm probability is split evenly among the outputs, and the share of an output is
// split evenly between its two limits. The share of a limit is the probability with which a correct
// engine may exceed the limit.
//
// Each limit is the product of a quantile and two factors. One factor is [Noise.Sums], because
// engines add up terms in different orders. The other factor is √2, because both sides are noisy.
// The quantiles are:
//
//   - for the root mean square: √F(ν, ν(N−1)) for N runs. ν is the number of independent elements
//     if the runs add up terms in random orders. Otherwise ν is the square root of that number,
//     which gives a higher limit.
//   - for the largest error of n elements: Student's t with σ's degrees of freedom, at 1/n of the
//     limit's share (the union bound).
//
// Each of the two numbers is divided by its limit. The Value of a result is the larger of these two
// ratios, and its Limit is 1.
//
// Integers, bools, strings, NaN and infinities must be equal. Two kinds of elements are left out:
// an integer, bool or string that differs between the measured runs, and a float that is finite in
// only some of these runs. It is an error if an output has no elements left, or if no element that
// is left in a float output is finite.
//
// A quantised model rounds its intermediate values to a few bits. This rounding can turn a tiny
// difference into a large one, and correct engines may round at different places. The errors of
// such a model pass if they are within the noise. Larger errors may come from a faulty or a correct
// engine, so WithinNoise then returns an error of type [Undecided].
//
// The options are the same as for [Runs], but checks are ignored and averages are an error.
func WithinNoise(actual, expected []*tensor.Set, n *Noise, bars Bars, o Options) (
	Report, error) {
	if err := n.usable(&bars, o); err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	o = o.paired(actual, expected)
	chosen, count := chosenBy(&o), 0
	for _, outputs := range n.Outputs {
		for i := range outputs {
			if chosen.takes(outputs[i].Name) {
				count++
			}
		}
	}
	if len(n.Outputs) < min(len(actual), len(expected)) {
		return Report{}, fmt.Errorf("compare: the noise was measured for %d iterations, and the runs "+
			"have more", len(n.Outputs))
	}
	return measuredRuns(actual, expected, o, &withinNoise{}, func(i int, name string) rule {
		if one := n.of(i, name, o.Names); one != nil && chosen.takes(name) {
			return newWithinNoise(n, one, bars, count)
		}
		return nil
	})
}

// of returns the noise of an output, or nil if none was measured. actual is the output's name on
// the actual side. If names maps it to a different name on the expected side, the noise may be
// stored under either of the two names.
func (n *Noise) of(iteration int, actual string, names map[string]string) *OutputNoise {
	for _, name := range []string{names[actual], actual} {
		for i := range n.Outputs[iteration] {
			if one := &n.Outputs[iteration][i]; one.Name == name && name != "" {
				return one
			}
		}
	}
	return nil
}

// usable returns an error if the noise or the options cannot be used. It also fills in the default
// of bars.FalseAlarm.
func (n *Noise) usable(bars *Bars, o Options) error {
	bars.FalseAlarm = cmp.Or(bars.FalseAlarm, figures.DefaultFalseAlarm)
	if err := n.Validate(); err != nil {
		return err
	}
	if o.Average {
		return errors.New("a comparison within noise cannot average over iterations: leave out Average")
	}
	return alarm(bars.FalseAlarm)
}

// withinNoise is the rule of [WithinNoise] for one output.
type withinNoise struct {
	measuredRule
	noise      *OutputNoise // nil if the rule was read from JSON
	falseAlarm float64
	runs       int
	share      float64 // the part of the false-alarm probability for each of the two numbers
	widen      float64 // the factor on the limits for two noisy sides and the order of sums
	quantizing string  // the model's quantising nodes, "" if it has none
	reordered  bool    // see [Noise.Reordered]
}

func newWithinNoise(n *Noise, one *OutputNoise, bars Bars, outputs int) *withinNoise {
	return &withinNoise{noise: one, falseAlarm: bars.FalseAlarm, runs: n.Runs,
		share: bars.FalseAlarm / float64(2*outputs), widen: math.Sqrt2 * n.Sums(),
		quantizing: n.quantizing(), reordered: n.Reordered}
}

// freedom returns ν, the degrees of freedom of the root mean square. If the runs added up terms in
// random orders, ν is the number of independent elements. Otherwise ν is the square root of that
// number, which gives a higher limit.
func (w *withinNoise) freedom() float64 {
	if w.reordered {
		return max(1, w.noise.Independent)
	}
	return math.Sqrt(max(1, w.noise.Independent))
}

// rmsLimit returns the limit of the root mean square error, in σ.
func (w *withinNoise) rmsLimit() float64 {
	f := w.freedom()
	return w.widen * math.Sqrt(fQuantile(w.share, f, f*float64(w.runs-1)))
}

// greatestLimit returns the limit of the largest of n errors, in σ.
func (w *withinNoise) greatestLimit(n int) float64 {
	m := float64(w.runs - 1)
	freedom := min(w.noise.Prior+m, w.freedom()*m)
	return w.widen * math.Sqrt(fQuantile(w.share/float64(n), 1, freedom))
}

func (w *withinNoise) name() string { return "noise" }

func (w *withinNoise) text() string {
	return "within noise, with " + figures.FalseAlarm(w.falseAlarm)
}

func (w *withinNoise) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: w.falseAlarm}
}

func (w *withinNoise) measure(p pair, r *Result) error {
	r.Value, r.Limit = nan, nan
	if w.noise == nil {
		return errors.New("no noise was measured for this output")
	}
	if !w.noise.Shape.Equal(p.actual.Shape()) {
		return fmt.Errorf("the noise was measured for shape %v, and the output has %v", w.noise.Shape,
			p.actual.Shape())
	}
	if floats := p.arith == inFloat32 || p.arith == inFloat64; floats != (len(w.noise.Sigma) > 0) {
		return fmt.Errorf("the noise was not measured for element type %v",
			p.actual.ElementType())
	}
	unsettled := w.noise.unsettled()
	if len(unsettled) >= p.n {
		r.hollow = hollow(holdOtherwise+", or use inputs for which rounding flips fewer elements",
			"rounding alone flips every element to another value, so nothing is left to compare")
		return nil
	}
	e := noiseErrors{}
	if len(w.noise.Sigma) == 0 {
		for i := range p.n {
			if !unsettled[i] && valueOf(p.actual, i) != valueOf(p.expected, i) {
				e.differ++
			}
		}
	} else {
		e = w.errors(p, unsettled)
		if e.n == 0 {
			r.hollow = nothingFinite()
		}
	}
	w.conclude(e, p, r)
	// NaN or ±Inf, which a quantisation step cannot cause.
	appeared := e.differ > 0 && len(w.noise.Sigma) > 0
	if r.Verdict == Fail && w.quantizing != "" && !appeared {
		return &Undecided{Output: w.noise.Name, Nodes: w.quantizing, Figures: r.Text}
	}
	return nil
}

// conclude writes the verdict, the numbers and the text that shows them to r.
func (w *withinNoise) conclude(e noiseErrors, p pair, r *Result) {
	var parts []string
	if e.differ > 0 {
		r.Mismatches, r.Verdict = e.differ, Fail
		parts = append(parts, fmt.Sprintf("%d elements differ in a way that rounding cannot "+
			"explain", e.differ))
	}
	if e.n > 0 {
		rms, greatest := w.rmsLimit(), w.greatestLimit(e.n)
		worst, sigma := math.Sqrt(e.greatest), math.Sqrt(e.variances/float64(e.n))
		r.Value, r.Limit = max(e.rms()/rms, worst/greatest), 1
		if !(r.Value <= 1) {
			r.Verdict = Fail
		}
		parts = append(parts, fmt.Sprintf("rms error %s σ (limit %s), largest error %s σ at %v (limit "+
			"%s), σ = %s over %d elements (%s effectively independent)",
			figures.Short(e.rms()), figures.Short(rms), figures.Short(worst),
			tensor.Shape(p.actual.Shape().Index(e.at)), figures.Short(greatest), figures.Short(sigma),
			e.n, figures.Short(w.noise.Independent)))
	}
	if n := len(w.noise.Unsettled); n > 0 {
		parts = append(parts, fmt.Sprintf("left out %d elements whose value depends on rounding", n))
	}
	if e.n == 0 && e.differ == 0 {
		parts = append(parts, "equal, except for elements whose value depends on rounding")
	}
	r.Text = strings.Join(parts, "; ")
}

// nothingFinite returns the error for a float output without a finite element to compare.
func nothingFinite() *Powerless {
	return hollow("find where NaN and infinities arise with `modelparity locate MODEL "+
		"--non-finite`, or use different inputs",
		"no element is finite in every run, so nothing is left to compare")
}

func (w *withinNoise) reason(r *Result) string { return "beyond noise: " + r.Text }
