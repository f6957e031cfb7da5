package compare

import "math"

// Required is what would have let a failed check pass: one of the tolerances raised and the other
// kept, or another limit. NaN means that no value would.
type Required struct {
	Check Check
	// Atol passes with the check's own rtol, and Rtol with its own atol. They are the least float64
	// that do.
	Atol, Rtol float64
	// Limit passes for the rules with one number.
	Limit float64
}

// required asks the rule of a failed result.
func (p pair) required(r Result) Required {
	need := Required{Check: r.Check, Atol: nan, Rtol: nan, Limit: nan}
	if p.arith != inString { // there, nothing but equal strings would do
		r.Check.rule.suggest(p, r, &need)
	}
	return need
}

// suggestByBisection finds the least tolerances by trying, near a guess or from anywhere.
func suggestByBisection(p pair, rule toleranceRule, c Check, s *Required, atol, rtol float64) {
	ownAtol, ownRtol := rule.tolerances(p)
	passes := func(atol, rtol float64) bool {
		return c.allows(p.countMismatches(rule.with(atol, rtol), 0), p.n)
	}
	s.Atol = least(atol, func(t float64) bool { return passes(t, ownRtol) })
	s.Rtol = least(rtol, func(t float64) bool { return passes(ownAtol, t) })
}

// least is the least tolerance that passes, by bisection over the float64 numbers from 0 up, which
// sort as their bits do. Near a good guess it takes a few verdicts, else 64; it is only asked for
// failures.
func least(guess float64, passes func(tolerance float64) bool) float64 {
	const reach = 8 // in float64 steps
	low, high := uint64(0), math.Float64bits(math.Inf(1))
	bits := math.Float64bits(guess)
	if guess >= 0 && bits > reach && bits+reach < high {
		if passes(math.Float64frombits(bits + reach)) {
			high = bits + reach
		}
		if !passes(math.Float64frombits(bits - reach)) {
			low = bits - reach + 1
		}
	}
	if high == math.Float64bits(math.Inf(1)) && !passes(math.MaxFloat64) {
		return nan
	}
	for low < high {
		middle := low + (high-low)/2
		if passes(math.Float64frombits(middle)) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return math.Float64frombits(low)
}

// needs is the least tolerances of an elementwise Within, each with the other one kept: the
// greatest absolute error among elements out of rtol, and the greatest relative error among those
// out of atol. Infinite and NaN errors have no tolerance.
func (p pair) needs(atol, rtol float64) (needAtol, needRtol float64) {
	type needed struct{ atol, rtol float64 }
	for _, part := range overBlocks(p.n, 0, func(lo, hi int, s *scratch) (n needed) {
		for ; lo < hi; lo += strip {
			abs, rel := p.errors64(lo, min(lo+strip, hi), s)
			for i, d := range abs {
				if !(rel[i] <= rtol) && !(d <= n.atol) {
					n.atol = d
				}
				if !(d <= atol) && !(rel[i] <= n.rtol) {
					n.rtol = rel[i]
				}
			}
		}
		return n
	}) {
		needAtol, needRtol = math.Max(needAtol, part.atol), math.Max(needRtol, part.rtol)
	}
	return finiteOrNaN(needAtol), finiteOrNaN(needRtol)
}

func finiteOrNaN(v float64) float64 {
	if math.IsInf(v, 0) {
		return nan
	}
	return v
}

// elementRuleOf is the rule by which single elements mismatch: the first check's that has one. It
// is nil where none has, or where none mismatches, as the verdict has found.
func elementRuleOf(p pair, results []Result) (by elementRule, none bool) {
	for _, r := range results {
		by := r.Check.rule.elements()
		if p.arith == inString {
			by = within{}
		}
		switch {
		case by == nil:
		case r.Mismatches == 0 && (r.Check.elementwise() || p.arith == inString):
			return nil, true
		default:
			return by, false
		}
	}
	return nil, false
}
