package compare

import "math"

// Required says what would have let a failed check pass: a larger Atol with the same rtol, a larger
// Rtol with the same atol, or a different Limit. NaN means that no value would pass.
type Required struct {
	Check Check `json:"check"`
	// Atol is the smallest atol with which the check would pass if it keeps its rtol, and Rtol is the
	// smallest rtol with which it would pass if it keeps its atol.
	Atol float64 `json:"atol"`
	Rtol float64 `json:"rtol"`
	// Limit is the limit with which the check would pass, for rules that compare one number with a
	// limit.
	Limit float64 `json:"limit"`
}

// required returns the tolerances or the limit with which a failed check would have passed. They
// are NaN for strings, which no tolerance makes equal.
func (p pair) required(r Result) Required {
	need := Required{Check: r.Check, Atol: nan, Rtol: nan, Limit: nan}
	if p.arith != inString {
		r.Check.rule.suggest(p, r, &need)
	}
	return need
}

// suggestByBisection finds the smallest atol and the smallest rtol with which c would pass if the
// other tolerance stayed as in own. with returns the rule with the given tolerances.
func suggestByBisection(p pair, own tolerances, c Check, s *Required,
	with func(tolerances) elementRule) {
	passes := func(atol, rtol float64) bool {
		return c.allows(p.countMismatches(with(tolerances{atol: atol, rtol: rtol})), p.n)
	}
	s.Atol = least(func(t float64) bool { return passes(t, own.rtol) })
	s.Rtol = least(func(t float64) bool { return passes(own.atol, t) })
}

// least returns the smallest nonnegative number for which passes returns true, or NaN if it returns
// true for no finite one. It bisects over the bits of the numbers, which sort like the numbers, so
// it calls passes about 64 times.
func least(passes func(float64) bool) float64 {
	if !passes(math.MaxFloat64) {
		return nan
	}
	low, high := uint64(0), math.Float64bits(math.MaxFloat64)
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

// needs returns two alternatives with which an elementwise Within would pass: the smallest absolute
// tolerance if rtol stays as it is, and the smallest relative tolerance if atol stays as it is. An
// element passes if it meets one of its two tolerances. So needAtol is the largest absolute error
// among the elements that exceed rtol, and needRtol is the largest relative error among the
// elements that exceed atol. A tolerance is NaN if one of these errors is infinite or NaN.
func (p pair) needs(atol, rtol float64) (needAtol, needRtol float64) {
	type needed struct{ atol, rtol float64 }
	for _, part := range overBlocks(p.n, func(lo, hi int, s *scratch) (n needed) {
		for ; lo < hi; lo += chunk {
			abs, rel := p.errors64(lo, min(lo+chunk, hi), s)
			for i, d := range abs {
				if !(rel[i] <= rtol) {
					n.atol = max(n.atol, d) // NaN if either is
				}
				if !(d <= atol) {
					n.rtol = max(n.rtol, rel[i])
				}
			}
			if n.atol != n.atol && n.rtol != n.rtol {
				break
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

// elementRuleOf returns the rule of the first check that decides which elements mismatch. The rule
// is nil if there is no such check. It is also nil if that check has already found that no element
// mismatches; only then is allMatch true.
func elementRuleOf(p pair, results []Result) (decider elementRule, allMatch bool) {
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
