package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

var nan = math.NaN()

// Check is one rule that an output must pass. [Within] and its like make one. It prints itself, and
// two checks are equal under == if their rules and numbers are. The zero value is not a check.
type Check struct {
	rule  rule
	allow float64 // the fraction of elements that may mismatch
}

// rule is one kind of check. Each kind is one type in its own file.
type rule interface {
	// name is the rule in JSON and in messages.
	name() string
	// text is the rule with its numbers, as a reader would say it.
	text() string
	// parameters are the rule's numbers.
	parameters() parameters
	// validate rejects numbers that make the rule impossible.
	validate() error
	// measure fills in the numbers of the result. It is an error if the rule does not apply to the
	// pair.
	measure(p pair, r *Result, workers int) error
	// holds is the verdict over the numbers of a result. A NaN never holds.
	holds(r *Result) bool
	// reason is one line that says by how much a result fails.
	reason(r *Result) string
	// figures is the numbers of a result for a reader, or "".
	figures(r *Result) string
	// elements is the rule for single elements, or nil.
	elements() elementRule
	// mean averages results over iterations. It reports whether the rule's numbers can be averaged.
	mean(results []Result) (Result, bool)
	// suggest fills in what would have let a failed result pass.
	suggest(p pair, r Result, s *Required)
}

// elementRule is a rule that decides each element separately.
type elementRule interface {
	rule
	// mismatching counts the elements of [lo,hi) that miss the rule.
	mismatching(p pair, lo, hi int, s *scratch) int
}

// toleranceRule is an elementRule of atol and rtol. Its only result is the count.
type toleranceRule interface {
	elementRule
	// tolerances are the rule's tolerances for a pair.
	tolerances(p pair) (atol, rtol float64)
	// with is the rule with other tolerances.
	with(atol, rtol float64) toleranceRule
}

// parameters are the numbers of a rule; NaN, 0 or "" means none.
type parameters struct {
	stat       Stat
	atol, rtol float64
	limit      float64
	k          int
	format     string // of a lower precision
	published  bool   // AWS's gate decides
}

// AllowMismatch lets up to that fraction of the elements mismatch: Within(…).AllowMismatch(0.001)
// passes with at most one element in a thousand out of tolerance. It applies to the elementwise
// rules (Within, WithinSum, ULP, Defaults); elsewhere, or outside [0,1), it is an error when the
// check is used.
func (c Check) AllowMismatch(fraction float64) Check {
	c.allow = fraction
	return c
}

// Tolerances is atol and rtol of [Within] and [WithinSum], and whether c is one of them.
func (c Check) Tolerances() (atol, rtol float64, ok bool) {
	p := c.parameters()
	return p.atol, p.rtol, p.atol == p.atol || p.rtol == p.rtol
}

// Limit is the limit of a rule with one number (L2, CosineSimilarity, PSNR, …), and NaN for any
// other.
func (c Check) Limit() float64 { return c.parameters().limit }

// Stat is the statistic that c looks at: Within's, Elementwise for WithinSum and Defaults, and the
// rule's own name elsewhere ("l2", "indices").
func (c Check) Stat() Stat {
	switch p := c.parameters(); {
	case p.stat != "":
		return p.stat
	case c.rule == nil:
		return "none"
	}
	return Stat(c.rule.name())
}

func (c Check) parameters() parameters {
	if c.rule == nil {
		return parameters{atol: nan, rtol: nan, limit: nan}
	}
	return c.rule.parameters()
}

// String is the check as a reader would say it, such as "elementwise: abs ≤ 1e-05 or rel ≤ 1e-05".
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

// adjustable reports whether the check has a tolerance or a limit that could be another.
func (c Check) adjustable() bool { return c.rule.elements() != nil || !math.IsNaN(c.Limit()) }

// averages reports whether the check looks at numbers that can be averaged over iterations.
func (c Check) averages() bool {
	_, ok := c.rule.mean(nil)
	return ok
}

func (c Check) validate() error {
	if c.rule == nil {
		return fmt.Errorf("compare: the zero Check is not a check: use Within or another constructor")
	}
	if err := c.rule.validate(); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	if c.allow != 0 {
		if !c.elementwise() {
			return fmt.Errorf("compare: %s: AllowMismatch needs an elementwise check", c.bare())
		}
		if !(c.allow > 0 && c.allow < 1) {
			return fmt.Errorf("compare: AllowMismatch(%v): want a fraction from 0 up to, but not "+
				"including, 1", c.allow)
		}
	}
	return nil
}

// allows reports whether so many mismatches of n elements are within AllowMismatch.
func (c Check) allows(mismatches, n int) bool {
	return float64(mismatches) <= c.allow*float64(n)
}

// tolerance rejects what Polygraphy takes: a NaN tolerance passes everything there, a negative one
// nothing.
func tolerance(name string, v float64) error {
	if math.IsNaN(v) || v < 0 {
		return fmt.Errorf("%s is %v: a tolerance must be zero or positive", name, v)
	}
	return nil
}
