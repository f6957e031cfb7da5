package compare

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// judge applies the check to the pair and stores the result in r.
func (c Check) judge(p pair, r *Result) error {
	*r = c.unmeasured()
	r.Of = p.n
	var err error
	if numeric, ok := c.rule.(interface{ numeric() bool }); ok && numeric.numeric() &&
		p.arith == inString {
		err = errors.New("strings are not numbers; use Within, which compares strings for equality")
	} else {
		err = c.rule.measure(p, r)
	}
	if err != nil {
		return fmt.Errorf("compare: %v: %w", c, err)
	}
	r.conclude()
	if r.Verdict == Pass && r.hollow != nil {
		r.hollow.Rule = c.String()
		return r.hollow
	}
	return nil
}

// unmeasured returns the result of a check before anything is measured: a pass without numbers.
func (c Check) unmeasured() Result {
	return Result{Check: c, Verdict: Pass, Abs: nan, Rel: nan, Value: nan, Limit: c.Limit(),
		Mismatches: -1}
}

// conclude sets the verdict from the numbers in r.
func (r *Result) conclude() {
	if !r.Check.rule.holds(r) {
		r.Verdict = Fail
	}
}

// counted is embedded in rules that count mismatching elements.
type counted struct{}

func (counted) holds(r *Result) bool { return r.Check.allows(r.Mismatches, r.Of) }

func (counted) reason(r *Result) string {
	return fmt.Sprintf("%d of %d elements mismatch (%s)", r.Mismatches, r.Of,
		figures.Percent(float64(r.Mismatches)/float64(r.Of)))
}

func (counted) figures(r *Result) string {
	switch {
	case r.Mismatches == 1:
		return "1 mismatch"
	case r.Mismatches > 1:
		return fmt.Sprintf("%d mismatches", r.Mismatches)
	}
	return ""
}

func (counted) mean([]Result) (Result, bool) { return Result{}, false }

// limited is embedded in rules that compare one number with a limit.
type limited struct{ limit float64 }

func (l limited) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: l.limit}
}

func (limited) elements() elementRule { return nil }

// numeric reports whether the rule refuses strings.
func (limited) numeric() bool { return true }

func (limited) reason(r *Result) string {
	return fmt.Sprintf("%s is %s", r.Check.rule.name(), figures.Short(r.Value))
}

func (limited) figures(r *Result) string { return figures.Short(r.Value) }

func (limited) mean(results []Result) (Result, bool) { return meanOf(results), true }

func (limited) suggest(_ pair, r Result, s *Required) { s.Limit = finiteOrNaN(r.Value) }

// atMost is a limit that the number must not exceed.
type atMost struct{ limited }

func (l atMost) holds(r *Result) bool { return r.Value <= l.limit }

// below returns an error for a limit that is not a valid tolerance, or that every value satisfies.
func (l atMost) below(name string) error {
	if math.IsInf(l.limit, 1) {
		return fmt.Errorf("%s: the limit is +Inf, so nothing could fail: set a finite limit", name)
	}
	return tolerance(name, l.limit)
}

// atLeast is a limit that the number must reach.
type atLeast struct{ limited }

func (l atLeast) holds(r *Result) bool { return r.Value >= l.limit }

// above returns an error if no value can satisfy the limit: if it is NaN, or greater than the
// largest possible value (most). It also returns an error if every value satisfies the limit: if it
// is not greater than the smallest possible value (least).
func (l atLeast) above(name string, least, most float64) error {
	switch {
	case !(l.limit <= most):
		return fmt.Errorf("%s: the limit is %v, which nothing can meet: the largest possible "+
			"value is %v", name, l.limit, most)
	case l.limit <= least:
		return fmt.Errorf("%s: the limit is %v, so nothing could fail: set a limit above %v",
			name, l.limit, least)
	}
	return nil
}

// meanOf averages every number in the results. NaN and infinities propagate.
func meanOf(results []Result) Result {
	if len(results) == 0 {
		return Result{}
	}
	mean := results[0]
	for _, r := range results[1:] {
		mean.Abs += r.Abs
		mean.Rel += r.Rel
		mean.Value += r.Value
		mean.Of += r.Of
		if r.Mismatches > 0 {
			mean.Mismatches = max(mean.Mismatches, 0) + r.Mismatches
		}
	}
	n := float64(len(results))
	mean.Abs, mean.Rel, mean.Value = mean.Abs/n, mean.Rel/n, mean.Value/n
	return mean
}
