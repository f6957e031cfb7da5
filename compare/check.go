package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

var nan = math.NaN()

// Check is one rule that an output must pass. Create one with [Within] or another constructor. Two
// checks are equal under == if their rules and numbers are equal. The zero value is not a check.
type Check struct {
	rule  rule
	allow float64 // the fraction of elements that may mismatch
}

// rule is one kind of check. Each kind is a type in its own file.
type rule interface {
	// name returns the rule's name in JSON and in messages.
	name() string
	// text returns the rule and its numbers as readable text.
	text() string
	// parameters returns the rule's numbers.
	parameters() parameters
	// validate returns an error if one of the rule's numbers is invalid.
	validate() error
	// measure computes the numbers on which the rule decides and stores them in r. It returns an error
	// if the rule does not apply to the pair.
	measure(p pair, r *Result) error
	// holds reports whether the numbers in r satisfy the rule. NaN never does.
	holds(r *Result) bool
	// reason returns one line that says why the result r fails, and by how much.
	reason(r *Result) string
	// figures returns the numbers in r as text for a reader, or "".
	figures(r *Result) string
	// elements returns the part of the rule that decides single elements, or nil if there is none.
	elements() elementRule
	// mean averages the results of the iterations. The bool reports whether the results of this rule
	// can be averaged.
	mean(results []Result) (Result, bool)
	// suggest stores in s the tolerances or the limit with which the failed result r would have
	// passed.
	suggest(p pair, r Result, s *Required)
}

// elementRule is a rule that decides each element separately.
type elementRule interface {
	rule
	// mismatching returns the number of elements in [lo,hi) that break the rule.
	mismatching(p pair, lo, hi int, s *scratch) int
}

// parameters contains the numbers and names that configure a rule. A value of NaN, 0 or "" means
// that the rule does not use that field.
type parameters struct {
	stat       Stat
	atol, rtol float64
	limit      float64
	k          int
	format     string // the lower precision
}

// AllowMismatch returns a copy of c that tolerates the given fraction of mismatching elements:
// Within(…).AllowMismatch(0.001) passes if at most one element in a thousand is out of tolerance.
// It applies to the elementwise rules (Within, WithinSum, ULP, Defaults). With a different rule, or
// a fraction outside [0,1), using the check is an error.
func (c Check) AllowMismatch(fraction float64) Check {
	c.allow = fraction
	return c
}

// Tolerances returns the atol and rtol of a [Within] or [WithinSum] check. ok is false for any
// other check.
func (c Check) Tolerances() (atol, rtol float64, ok bool) {
	p := c.parameters()
	return p.atol, p.rtol, p.atol == p.atol || p.rtol == p.rtol
}

// OnSample says how far c can be judged if only a sample of the expected elements is stored. exact
// reports whether c passes only if every element is equal; a checksum of all elements then decides.
// bound takes the largest possible magnitude of an expected value, and returns an upper bound for
// the absolute error that c allows there. It returns +Inf if c does not limit single elements, for
// example if it limits only their mean. OnSample returns an error if c cannot be judged on a
// sample, because it depends on the positions of elements or on a sum over all of them.
func (c Check) OnSample(elem tensor.ElementType) (exact bool, bound func(magnitude float64) float64,
	err error) {
	p := c.parameters()
	switch c.rule.(type) {
	case within, withinStat, withinSum:
		allowed := []Stat{Elementwise, Max, Mean, Quantile(1)}
		exact = p.atol == 0 && p.rtol == 0 && slices.Contains(allowed, p.stat) || elem == tensor.String
	case defaults:
		atol, _ := defaultTolerances(elem)
		exact = atol == 0
	case ulp, normRelative:
		exact = p.limit == 0
	case cosineSimilarity, psnr, snr:
	default:
		return false, nil, fmt.Errorf("%v needs the complete output, but the golden file contains "+
			"only a sample: update it without Sampled", c)
	}
	return exact && c.allow == 0, c.bound, nil
}

// bound implements the function that [Check.OnSample] returns.
func (c Check) bound(magnitude float64) float64 {
	p := c.parameters()
	switch {
	case c.allow > 0 || p.stat != Elementwise && p.stat != Max || p.atol != p.atol:
		return math.Inf(1)
	case p.rtol != p.rtol:
		return p.atol
	}
	return p.atol + float64(p.rtol*magnitude)
}

// Limit returns the limit of a check that compares one number with a limit (L2, CosineSimilarity,
// PSNR, …), and NaN for any other check.
func (c Check) Limit() float64 { return c.parameters().limit }

// Stat returns the statistic that c compares: a Within check's own statistic, Elementwise for
// WithinSum and Defaults, and for any other rule the rule's name, such as "l2" or "indices".
func (c Check) Stat() Stat {
	if c.rule == nil {
		return "none"
	}
	return cmp.Or(c.rule.parameters().stat, Stat(c.rule.name()))
}

func (c Check) parameters() parameters {
	if c.rule == nil {
		return parameters{atol: nan, rtol: nan, limit: nan}
	}
	return c.rule.parameters()
}

// String returns the check as readable text: "elementwise: abs ≤ 1e-05 or rel ≤ 1e-05".
func (c Check) String() string {
	text := c.bare()
	if c.allow > 0 {
		text += ", in all but " + figures.Percent(c.allow) + " of the elements"
	}
	return text
}

func (c Check) bare() string {
	if c.rule == nil {
		return "no check"
	}
	return c.rule.text()
}

// elementwise reports whether the check counts mismatching elements.
func (c Check) elementwise() bool {
	_, ok := c.rule.(elementRule)
	return ok
}

// adjustable reports whether the check has a tolerance or a limit that the user could change. The
// limits of measured rules are not chosen by the user.
func (c Check) adjustable() bool {
	switch c.rule.(type) {
	case *withinNoise, *noWorse:
		return false
	}
	return c.rule.elements() != nil || !math.IsNaN(c.Limit())
}

// averages reports whether the check's results can be averaged over iterations.
func (c Check) averages() bool {
	_, ok := c.rule.mean(nil)
	return ok
}

func (c Check) validate() error {
	if c.rule == nil {
		return fmt.Errorf("compare: a Check is the zero value: create it with Within or another " +
			"constructor")
	}
	if err := c.rule.validate(); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	if c.allow != 0 {
		if !c.elementwise() {
			return fmt.Errorf("compare: %s: AllowMismatch needs an elementwise check", c.bare())
		}
		if !(c.allow > 0 && c.allow < 1) {
			return fmt.Errorf("compare: AllowMismatch(%v): want a fraction of at least 0 and below 1",
				c.allow)
		}
	}
	return nil
}

// allows reports whether AllowMismatch permits the given number of mismatches among n elements.
func (c Check) allows(mismatches, n int) bool {
	return float64(mismatches) <= c.allow*float64(n)
}

// tolerance returns an error for a NaN or negative tolerance. Polygraphy accepts both, but then a
// NaN tolerance passes everything and a negative tolerance passes nothing.
func tolerance(name string, v float64) error {
	if math.IsNaN(v) || v < 0 {
		return fmt.Errorf("%s is %v: a tolerance must be zero or positive", name, v)
	}
	return nil
}
