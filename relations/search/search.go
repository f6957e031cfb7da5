package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Options says what two sides are held to, and how long the search takes.
type Options struct {
	// Rule is what the outputs are held to; at least one check is needed. NaN equals NaN, and an
	// infinity the same one: both sides overflow.
	Rule compare.Options
	// Budget ends the search for inputs; 0 is a minute, unless Trials is given. Shrinking what was
	// found takes as much again at most.
	Budget time.Duration
	// Trials ends the search after so many inputs, which makes it the same on every machine; 0 is no
	// end.
	Trials int
	// Seed chooses the inputs; equal seeds try the same.
	Seed uint64
	// Noise keeps only inputs on which rounding does not explain the difference either, with Bars. It
	// is measured in the expected engine on each of the inputs that break the rule.
	Noise bool
	Bars  compare.NoiseBars
	// Sizes are those that dynamic dimensions take; without them [Sizes].
	Sizes []int
	// Edits tries edits of either side's graph as well, for half of the inputs: an Identity put in,
	// the operands of a commutative node exchanged, a product split into the sum of two halves. They
	// must not matter beyond rounding, which the rule has to allow. Both models have to be ONNX.
	Edits bool
}

// Sizes are the sizes of dynamic dimensions without Options.Sizes.
func Sizes() []int { return []int{1, 2, 3, 7, 8, 16, 17, 33} }

// Found is what a search found.
type Found struct {
	// Actual and Expected name the sides.
	Actual, Expected string
	// Inputs part the sides, after shrinking; nil where none were found.
	Inputs *tensor.Set
	// How says what kind of inputs it was before shrinking, and Trial which of them.
	How   string
	Trial int
	// Report is the comparison on Inputs.
	Report compare.Report
	// Trials is how many inputs were compared. Refused is how many one side or both gave an error
	// for, and Refusal the first of these errors.
	Trials, Refused int
	Refusal         string
	// Rounding is how many inputs broke the rule by no more than rounding explains.
	Rounding int
	// Edited is the side whose graph is edited, "actual" or "expected", where they part on Inputs
	// only so, and Edits are the fewest edits that do it. EditRefusal is the first error of opening
	// an edited graph.
	Edited      string
	Edits       []string
	EditRefusal string
	// Greatest is the greatest error seen, in multiples of the tolerance where the rule has one.
	Greatest float64

	side   int            // the one edited
	edited *loaders.Model // its graph
}

// Parts reports whether inputs were found that part the sides.
func (f *Found) Parts() bool { return f.Inputs != nil }

// hunt is a search that goes on.
type hunt struct {
	ctx     context.Context
	options Options
	inputs  []loaders.Value
	model   fixtures.Declaration
	own     *tensor.Set // the subject's inputs
	sides   [2]backends.Backend
	judged  backends.Subject // the expected one
	slopes  int              // trials that followed slopes

	subjects [2]backends.Subject
	opening  []*tensor.Set // what the sides are opened for
	editing  *editing      // nil where graphs stay as they are
	random   *rand.Rand
	best     []*candidate // the greatest errors, the greatest first
	found    *Found
	end      time.Time
}

// Between looks for inputs on which two subjects differ. Both have inputs of the same names; those
// of the actual one are the first that are tried, and give integers their range.
//
// Errors: a subject that cannot be run, misuse of the options, inputs all of which a side refuses,
// and a context that has ended. Finding nothing is not an error: see [Found.Parts].
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
	o.Rule.NaNEqual, o.Rule.InfinitiesEqual, o.Rule.AllowEmpty = true, true, true
	if o.Budget == 0 {
		o.Budget = time.Minute
		if o.Trials > 0 {
			o.Budget = 24 * time.Hour
		}
	}
	h := &hunt{ctx: ctx, options: o, model: actual.Model, own: sets[0],
		judged: expected, subjects: [2]backends.Subject{actual, expected},
		random: rand.New(rand.NewPCG(o.Seed, 1)),
		found:  &Found{Actual: name(actual), Expected: name(expected)}}
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
	return h.found, nil
}

func name(s backends.Subject) string { return fmt.Sprintf("%s in %v", s.Model.Name(), s.Engine) }

// open opens both sides for every size of the dynamic dimensions.
func (h *hunt) open() error {
	h.opening = []*tensor.Set{h.own}
	for _, n := range h.sizes() {
		set, err := h.blank(n).set(h.inputs)
		if err != nil {
			return err
		}
		h.opening = append(h.opening, set)
	}
	for i, s := range h.subjects {
		var err error
		if h.sides[i], err = s.Engine.Open(h.ctx, s.Model, fixtures.Of(h.opening...)); err != nil {
			return err
		}
	}
	if h.options.Edits {
		return h.startEditing()
	}
	return nil
}

func (h *hunt) close() {
	for _, b := range h.sides {
		if b != nil {
			_ = b.Close() // what it ran is known
		}
	}
	if h.editing != nil {
		h.editing.end()
	}
}

// run tries inputs until some part the sides, and shrinks them.
func (h *hunt) run() error {
	h.end = time.Now().Add(h.options.Budget) // opening takes what it takes
	for h.going() {
		c := h.next()
		parts, err := h.try(c)
		if err != nil {
			return err
		}
		if !parts && (h.found.Trials+h.found.Refused)%len(draws) == 0 {
			c, err = h.climb()
			if err != nil {
				return err
			}
			parts = c != nil
		}
		if parts {
			h.found.How, h.found.Trial = c.how, h.found.Trials+h.found.Refused
			h.end = time.Now().Add(h.options.Budget)
			if c, err = h.shrink(c); err != nil {
				return err
			}
			return h.tellEdits(c)
		}
	}
	if h.found.Trials == 0 {
		return fmt.Errorf("all of %d inputs were refused, so nothing was compared; the first time: %s",
			h.found.Refused, h.found.Refusal)
	}
	return nil
}

// going reports whether there is more to try.
func (h *hunt) going() bool {
	tried := h.found.Trials + h.found.Refused
	return (h.options.Trials == 0 || tried < h.options.Trials) && time.Now().Before(h.end)
}

// inTime reports whether what was found may still be shrunk.
func (h *hunt) inTime() bool { return time.Now().Before(h.end) }

// try runs both sides on a candidate. A side that refuses it parts nothing.
func (h *hunt) try(c *candidate) (parts bool, err error) {
	h.tame(c)
	set, err := c.set(h.inputs)
	if err != nil {
		return false, err
	}
	var outputs [2]*tensor.Set
	for i := range h.sides {
		side, err := h.side(i, c)
		var run *backends.Run
		if err != nil && h.found.EditRefusal == "" {
			h.found.EditRefusal = err.Error()
		}
		if err == nil {
			run, err = side.Run(h.ctx, fixtures.Of(set))
		}
		if h.ctx.Err() != nil {
			return false, context.Cause(h.ctx)
		}
		if err != nil {
			h.found.Refused++
			if h.found.Refusal == "" {
				h.found.Refusal = err.Error()
			}
			return false, nil
		}
		outputs[i] = run.Outputs()[0]
	}
	h.found.Trials++
	report, err := compare.Sets(outputs[0], outputs[1], h.options.Rule)
	if _, powerless := errors.AsType[*compare.Powerless](err); powerless {
		return false, nil // such as outputs of zeros, which have no direction
	}
	if err != nil {
		return false, err
	}
	c.error = excess(outputs[0], outputs[1], h.options.Rule)
	h.found.Greatest = max(h.found.Greatest, c.error)
	if c.edit.splits() && !(finite(outputs[0]) && finite(outputs[1])) {
		return false, nil // halves of a sum may overflow where the sum does not
	}
	if report.Verdict != compare.Fail {
		h.keep(c)
		return false, nil
	}
	if h.options.Noise {
		share, err := h.explained(set, outputs)
		if err != nil {
			return false, err
		}
		if share <= 1 { // so that what is climbed is the error over noise
			c.error = 1 + share
			h.found.Rounding++
			h.keep(c)
			return false, nil
		}
	}
	h.found.Inputs, h.found.Report = set, report
	return true, nil
}

// explained is how much of what rounding explains on inputs two sides differ by there: 1 is all of
// it, and +Inf an element that rounding does not change.
func (h *hunt) explained(set *tensor.Set, outputs [2]*tensor.Set) (float64, error) {
	of := h.judged
	of.Inputs, of.InputsSHA256 = fixtures.Of(set), ""
	measured, err := noise.Measure(h.ctx, of)
	if err != nil {
		return 0, fmt.Errorf("the noise on the inputs that part them: %w", err)
	}
	report, err := compare.WithinNoise(outputs[:1], outputs[1:], measured, h.options.Bars,
		compare.Options{AllowEmpty: true})
	if err != nil {
		return 0, fmt.Errorf("the noise on the inputs that part them: %w", err)
	}
	if report.Verdict == compare.Fail {
		return math.Inf(1), nil
	}
	share := 0.0
	for _, o := range report.Outputs {
		for _, r := range o.Results {
			if r.Value > share { // not NaN, as of integers, which are equal
				share = r.Value
			}
		}
	}
	return share, nil
}

// kept is how many candidates are changed further.
const kept = 6

// keep remembers the candidates with the greatest errors.
func (h *hunt) keep(c *candidate) {
	at := len(h.best)
	for at > 0 && h.best[at-1].error < c.error {
		at--
	}
	if at >= kept || c.error == 0 {
		return
	}
	h.best = append(h.best, nil)
	copy(h.best[at+1:], h.best[at:])
	h.best[at] = c
	h.best = h.best[:min(len(h.best), kept)]
}
