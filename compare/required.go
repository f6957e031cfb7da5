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

func (p *pair) required(r Result) Required {
	need := Required{Check: r.Check, Atol: nan, Rtol: nan, Limit: nan}
	switch {
	case p.arith == inString:
		// Nothing but equal strings would do.
	case r.Check.rule == ruleULP || !r.Check.elementwise() && r.Check.rule != ruleWithin:
		need.Limit = r.Value
	case !r.Check.elementwise():
		need.Atol, need.Rtol = r.Abs, r.Rel
	case r.Check.rule == ruleSum || r.Check.allow > 0:
		c := r.Check
		c.atol, c.rtol = p.tolerances(c)
		need.Atol = least(func(t float64) bool { return p.passes(c, t, c.rtol) })
		need.Rtol = least(func(t float64) bool { return p.passes(c, c.atol, t) })
	default:
		atol, rtol := p.tolerances(r.Check)
		need.Atol, need.Rtol = p.needs(atol, rtol)
	}
	return need
}

// passes is the verdict of an elementwise check with other tolerances.
func (p *pair) passes(c Check, atol, rtol float64) bool {
	c.atol, c.rtol = atol, rtol
	if c.rule == ruleDefaults {
		c.rule = ruleWithin
	}
	n := p.countMismatches(c, 0)
	return c.allows(n, p.n)
}

// least is the least tolerance that passes, by bisection over the float64 numbers from 0 up, which
// sort as their bits do. It needs 64 verdicts at most; it is only asked for failures.
func least(passes func(tolerance float64) bool) float64 {
	low, high := uint64(0), math.Float64bits(math.Inf(1))
	if !passes(math.MaxFloat64) {
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

// needs is the least tolerances of an elementwise Within, each with the other one kept: the greatest
// absolute error among elements out of rtol, and the greatest relative error among those out of
// atol. Infinite and NaN errors have no tolerance.
func (p *pair) needs(atol, rtol float64) (needAtol, needRtol float64) {
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

// ruleOf is the rule by which single elements mismatch: the first check's that has one.
func ruleOf(p *pair, results []Result) elementRule {
	for _, r := range results {
		switch c := r.Check; {
		case p.arith == inString:
			return func(_ int, abs, _ float64) bool { return abs != 0 }
		case c.rule == ruleULP:
			return func(at int, _, _ float64) bool { return !(p.ulp(at) <= c.limit) }
		case c.rule == ruleSum:
			return func(at int, _, _ float64) bool {
				s := scratches.Get().(*scratch)
				defer scratches.Put(s)
				return p.mismatchingSums(at, at+1, c.atol, c.rtol, s) > 0
			}
		case c.rule == ruleWithin || c.rule == ruleDefaults:
			atol, rtol := p.tolerances(c)
			return func(_ int, abs, rel float64) bool { return !(abs <= atol) && !(rel <= rtol) }
		}
	}
	return nil
}
