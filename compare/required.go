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
		atol, rtol := p.sumNeeds(c)
		need.Atol = least(atol, func(t float64) bool { return p.passes(c, t, c.rtol) })
		need.Rtol = least(rtol, func(t float64) bool { return p.passes(c, c.atol, t) })
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

// sumNeeds is the guesses for the additive rule: the greatest |a−b| − rtol·|b|, and the greatest
// (|a−b| − atol)/|b|. They are off by roundings only. Other rules have no guess.
func (p *pair) sumNeeds(c Check) (atol, rtol float64) {
	if c.rule != ruleSum || c.allow > 0 {
		return nan, nan
	}
	type guess struct{ atol, rtol float64 }
	for _, part := range overBlocks(p.n, 0, func(lo, hi int, s *scratch) (g guess) {
		for ; lo < hi; lo += strip {
			end := min(lo+strip, hi)
			abs, _ := p.errors64(lo, end, s)
			var other [strip]float64
			for i, y := range float64s(p.expected, lo, end, &other) {
				y = math.Abs(y)
				d := abs[i]
				if p.arith == inFloat32 {
					d = math.Abs(p.actual.Float64At(lo+i) - p.expected.Float64At(lo+i))
				}
				g.atol = max(g.atol, d-c.rtol*y)
				if y > 0 {
					g.rtol = max(g.rtol, (d-c.atol)/y)
				}
			}
		}
		return g
	}) {
		atol, rtol = max(atol, part.atol), max(rtol, part.rtol)
	}
	return atol, rtol
}

// needs is the least tolerances of an elementwise Within, each with the other one kept: the
// greatest absolute error among elements out of rtol, and the greatest relative error among those
// out of atol. Infinite and NaN errors have no tolerance.
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
		atol, rtol := p.tolerances(r.Check)
		if r.Mismatches == 0 && (r.Check.elementwise() || p.arith == inString) {
			return elementRule{clean: true} // the verdict has counted already
		}
		switch by := r.Check.rule; {
		case p.arith == inString, by == ruleWithin, by == ruleDefaults:
			return elementRule{by: ruleWithin, atol: atol, rtol: rtol}
		case by == ruleSum:
			return elementRule{by: ruleSum, atol: atol, rtol: rtol}
		case by == ruleULP:
			return elementRule{by: ruleULP, limit: r.Check.limit}
		}
	}
	return elementRule{}
}
