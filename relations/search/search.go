package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Options configures [Between].
type Options struct {
	// Rule compares the outputs; it needs at least one check. NaN always equals NaN, and infinities of
	// the same sign are equal, because large inputs make both sides overflow.
	Rule compare.Options
	// Budget limits the time for finding inputs. The default is one minute, or 24 hours if Trials is
	// set. Shrinking the inputs then takes at most as long again.
	Budget time.Duration
	// Trials limits the number of inputs to try, which makes results reproducible on any machine. 0
	// means no limit.
	Trials int
	// Seed determines the inputs: searches with the same seed try the same inputs.
	Seed uint64
	// Noise makes the search ignore differences that rounding explains, by the limits that follow from
	// Bars. For this, the expected model's noise is measured ([noise.Measure]) on each set of inputs
	// that breaks the rule.
	Noise bool
	Bars  compare.Bars
	// Sizes lists the sizes of dynamic dimensions to try. The default is 1 to 64, as long as the
	// inputs have at most 16 million elements.
	Sizes []int
}

// Found is the result of a search.
type Found struct {
	// Actual and Expected name the sides.
	Actual, Expected string
	// Inputs contains the shrunk inputs on which the sides differ. It is nil if none were found.
	Inputs *tensor.Set
	// How describes the inputs before shrinking, and Trial is the number of the trial that found them,
	// from 1.
	How   string
	Trial int
	// Report is the comparison on Inputs, or a passing comparison without outputs.
	Report compare.Report
	// Trials is the number of inputs that were compared. Refused is the number of inputs that were
	// not, because a side rejected them or because the rule cannot judge the outputs, as if all are
	// empty. Refusal is the first reason.
	Trials, Refused int
	Refusal         string
	// Rounding is the number of inputs that broke the rule but whose differences rounding explains.
	Rounding int
	// LargestError is the largest error of an element, in multiples of the rule's tolerance. If the
	// rule has none, it is in multiples of 2⁻²³ of the expected value.
	LargestError float64

	// NotTried lists the kinds of inputs that the search did not try.
	NotTried []string
}

// tried returns the number of inputs so far.
func (f *Found) tried() int { return f.Trials + f.Refused }

// Parts reports whether the search found inputs on which the actual and the expected subject
// differ.
func (f *Found) Parts() bool { return f.Inputs != nil }

// hunt is a running search. Its two sides are the actual and the expected subject.
type hunt struct {
	ctx     context.Context
	options Options
	inputs  []loaders.Value
	given   []*tensor.Set // the subject's inputs; drawn inputs are like the first
	slopes  int           // trials spent on gradients
	turn    int           // calls of shaped
	spread  float64       // the last result of evenly

	kinds    map[string]bool // the kinds of values tried
	firsts   map[int]bool    // the sizes tried for the first dynamic dimension
	tooLarge bool            // some sizes were not tried: the inputs would have too many elements

	subjects [2]backends.Subject // the actual and the expected side
	sides    [2]backends.Backend // these subjects, opened
	random   *rand.Rand
	best     []*candidate // the candidates with the largest errors, in descending order
	found    *Found
	end      time.Time
}

// Between looks for inputs on which two subjects differ. The inputs of both models must have the
// same names. Between first tries the actual subject's inputs. It draws integers only from the
// range of the integers in these inputs.
//
// Between returns an error if a subject cannot run, if options are invalid, if the engines reject
// all inputs, or if the context ends. Finding nothing is not an error; see [Found.Parts].
func Between(ctx context.Context, actual, expected backends.Subject, o Options) (*Found, error) {
	if len(o.Rule.Checks) == 0 {
		return nil, errors.New("search: Options.Rule has no check; add compare.Within(…)")
	}
	if o.Budget < 0 || o.Trials < 0 {
		return nil, errors.New("search: the budget and the number of trials must not be negative")
	}
	for _, s := range []backends.Subject{actual, expected} {
		if err := s.Repeatable(); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
	}
	sets, err := actual.Draw()
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	ctx = guesses.Context(ctx, actual.Inputs.Notes())
	o.Rule.NaNEqual, o.Rule.InfinitiesEqual = true, true
	if o.Budget == 0 {
		o.Budget = time.Minute
		if o.Trials > 0 {
			o.Budget = 24 * time.Hour
		}
	}
	h := &hunt{ctx: ctx, options: o, given: sets, subjects: [2]backends.Subject{actual, expected},
		random: rand.New(rand.NewPCG(o.Seed, 1)), kinds: map[string]bool{}, firsts: map[int]bool{},
		found: &Found{Actual: name(actual), Expected: name(expected),
			Report: compare.Report{Verdict: compare.Pass}}}
	if h.inputs, err = actual.Model.Inputs(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer h.close()
	if err := h.open(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if err := h.run(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	h.found.NotTried = h.notTried()
	return h.found, nil
}

func name(s backends.Subject) string { return fmt.Sprintf("%s in %v", s.Model.Name(), s.Engine) }

// open opens the actual and the expected model. Both engines prepare for the sizes of the given
// inputs and for the sizes that [hunt.extremes] returns.
func (h *hunt) open() (err error) {
	opening := slices.Clone(h.given)
	for _, n := range h.extremes() {
		set, err := blank(h.equalSizes(n)).set(h.inputs)
		if err != nil {
			return err
		}
		opening = append(opening, set)
	}
	for i, s := range h.subjects {
		if h.sides[i], err = s.Engine.Open(h.ctx, s.Model, fixtures.Of(opening...)); err != nil {
			return err
		}
	}
	return nil
}

// extremes returns the sizes that [hunt.open] gives to dynamic dimensions. They are Options.Sizes
// or, if Options.Sizes is empty, 1 and the largest size up to 64 that [hunt.fits] accepts.
func (h *hunt) extremes() []int {
	if len(h.options.Sizes) > 0 {
		return h.options.Sizes
	}
	for n := 64; n > 1; n-- {
		if h.fits(h.equalSizes(n)) {
			return []int{1, n}
		}
	}
	return []int{1}
}

func (h *hunt) close() {
	for _, b := range h.sides {
		if b != nil {
			_ = b.Close() // its results are complete
		}
	}
}

// run tries inputs until the actual and the expected outputs differ, and then shrinks these inputs.
func (h *hunt) run() error {
	h.end = time.Now().Add(h.options.Budget) // opening does not count
	for h.going() {
		c := h.draw()
		differ, err := h.try(c)
		if err == nil && !differ && h.found.tried()%len(draws) == 0 {
			c, err = h.climb()
			differ = c != nil
		}
		if err != nil {
			return err
		}
		if differ {
			h.found.How, h.found.Trial = c.how, h.found.tried()
			h.end = time.Now().Add(h.options.Budget)
			return h.shrink(c)
		}
	}
	if h.found.Trials == 0 {
		return fmt.Errorf("none of the %d inputs could be compared; the first reason: %s",
			h.found.Refused, h.found.Refusal)
	}
	return nil
}

// going reports whether the search has time and trials left for more inputs.
func (h *hunt) going() bool {
	return (h.options.Trials == 0 || h.found.tried() < h.options.Trials) && h.inTime()
}

// inTime reports whether there is time left, for finding inputs or for shrinking them.
func (h *hunt) inTime() bool { return time.Now().Before(h.end) }

// try runs the actual and the expected subject on a candidate's inputs, and reports whether their
// outputs differ. If one of them rejects the inputs, that does not count as a difference.
func (h *hunt) try(c *candidate) (differ bool, err error) {
	set, err := c.set(h.inputs)
	if err != nil {
		return false, err
	}
	var outputs [2]*tensor.Set
	for i, side := range h.sides {
		run, err := side.Run(h.ctx, fixtures.Of(set))
		if h.ctx.Err() != nil {
			return false, context.Cause(h.ctx)
		}
		if err != nil {
			return false, h.refuse(err.Error())
		}
		outputs[i] = run.Outputs()[0]
	}
	rule := h.options.Rule
	rule.AllowEmpty = true
	report, err := compare.Sets(outputs[0], outputs[1], rule)
	if _, powerless := errors.AsType[*compare.Powerless](err); powerless {
		return false, h.refuse(err.Error()) // such as the cosine of zeros
	}
	if err != nil {
		return false, err
	}
	if !h.options.Rule.AllowEmpty && report.Verdict == compare.Pass &&
		!slices.ContainsFunc(report.Outputs, func(o compare.Output) bool {
			return o.Actual == nil || o.Actual.Len() > 0
		}) {
		return false, h.refuse("every output is empty on both sides")
	}
	h.found.Trials++
	c.error = excess(outputs[0], outputs[1], h.options.Rule)
	h.found.LargestError = max(h.found.LargestError, c.error)
	if report.Verdict != compare.Fail {
		h.keep(c)
		return false, nil
	}
	if h.options.Noise {
		share, err := h.explained(set, outputs)
		if err != nil {
			return false, err
		}
		if share <= 1 { // rank these inputs by their ratio of error to noise
			c.error = 1 + share
			h.found.Rounding++
			h.keep(c)
			return false, nil
		}
	}
	h.found.Inputs, h.found.Report = set, report
	return true, nil
}

// refuse counts inputs that were not compared, and keeps the first reason. It always returns nil,
// so the search continues.
func (h *hunt) refuse(why string) error {
	h.found.Refused++
	h.found.Refusal = cmp.Or(h.found.Refusal, why)
	return nil
}

// explained returns the ratio of the outputs' difference to the largest difference that rounding
// explains on these inputs. It returns +Inf instead of ratios above 1.
func (h *hunt) explained(set *tensor.Set, outputs [2]*tensor.Set) (float64, error) {
	of := h.subjects[1]
	of.Inputs, of.InputsSHA256 = fixtures.Of(set), ""
	measured, err := noise.Measure(h.ctx, of)
	if errors.Is(err, noise.ErrExact) {
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, fmt.Errorf("measuring noise for the inputs that the search found: %w", err)
	}
	for _, side := range h.subjects {
		measured.Sequential = max(measured.Sequential, noise.Sequential(measured, side.Engine))
	}
	report, err := compare.WithinNoise(outputs[:1], outputs[1:], measured, h.options.Bars,
		compare.Options{AllowEmpty: true})
	if err != nil {
		return 0, fmt.Errorf("measuring noise for the inputs that the search found: %w", err)
	}
	if report.Verdict == compare.Fail {
		return math.Inf(1), nil
	}
	share := 0.0
	for _, o := range report.Outputs {
		for _, r := range o.Results {
			if r.Value > share { // NaN for integers, which are equal, compares false
				share = r.Value
			}
		}
	}
	return share, nil
}

// kept is the number of inputs, those with the largest errors, that the search modifies further.
const kept = 6

// keep stores inputs for later modification if their error is among the largest so far.
func (h *hunt) keep(c *candidate) {
	if c.error > 0 {
		h.best = append(h.best, c)
		slices.SortStableFunc(h.best, func(a, b *candidate) int { return cmp.Compare(b.error, a.error) })
		h.best = h.best[:min(len(h.best), kept)]
	}
}
