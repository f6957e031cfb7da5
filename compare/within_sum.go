package compare

import (
	"fmt"
	"math"
)

// WithinSum is the additive rule of NumPy and torch, for every element:
//
//	|actual − expected| ≤ atol + rtol·|expected|
//
// in float64. An element with a NaN, or with infinities that are not the same, mismatches; equal
// infinities are equal, as in numpy.isclose. NaN equals NaN only under NaNEqual of [Options].
func WithinSum(atol, rtol float64) Check {
	return Check{rule: withinSum{atol: atol, rtol: rtol}}
}

type withinSum struct {
	counted
	atol, rtol float64
}

func (w withinSum) name() string { return "within_sum" }

func (w withinSum) text() string {
	return fmt.Sprintf("elementwise: abs ≤ %s + %s·|expected|", number(w.atol), number(w.rtol))
}

func (w withinSum) parameters() parameters {
	return parameters{stat: Elementwise, atol: w.atol, rtol: w.rtol, limit: nan}
}

func (w withinSum) validate() error { return validateTolerances(w.atol, w.rtol) }

func (w withinSum) measure(p pair, r *Result, workers int) error {
	r.Mismatches, r.hollow = p.countMismatches(w, workers), p.accepts(w.atol, w.rtol)
	return nil
}

func (w withinSum) elements() elementRule { return w }

func (w withinSum) suggest(p pair, r Result, s *Required) {
	if r.Check.allow > 0 {
		suggestByBisection(p, w, r.Check, s, nan, nan)
		return
	}
	atol, rtol := w.guess(p)
	suggestByBisection(p, w, r.Check, s, atol, rtol)
}

func (w withinSum) tolerances(pair) (atol, rtol float64) { return w.atol, w.rtol }

func (w withinSum) with(atol, rtol float64) toleranceRule {
	return withinSum{atol: atol, rtol: rtol}
}

// mismatching subtracts floats in float64 and integers exactly. Strings are equal or not.
func (w withinSum) mismatching(p pair, lo, hi int, s *scratch) (count int) {
	if p.arith == inString {
		return p.mismatches(lo, hi, 0, 0, s)
	}
	for ; lo < hi; lo += strip {
		end := min(lo+strip, hi)
		if p.arith != inFloat32 && p.arith != inFloat64 {
			abs, _ := p.errors64(lo, end, s)
			b := float64s(p.expected, lo, end, &s.b64)
			for i, d := range abs {
				if !w.allows(p.equal, d, b[i], b[i]) {
					count++
				}
			}
			continue
		}
		var exact []float64
		if p.exact {
			exact, _ = p.errors64(lo, end, s)
		}
		a := float64s(p.actual, lo, end, &s.a64)
		b := float64s(p.expected, lo, end, &s.b64)
		for i, x := range a {
			d := math.Abs(x - b[i])
			if p.exact {
				d = exact[i]
			}
			if !w.allows(p.equal, d, x, b[i]) {
				count++
			}
		}
	}
	return count
}

// allows is the rule for one element with the difference d.
func (w withinSum) allows(e equality, d, x, y float64) bool {
	if math.IsInf(y, 0) {
		return x == y // or ∞ ≤ rtol·∞ would accept any value
	}
	allowed := w.atol
	if y != 0 {
		allowed += float64(w.rtol * math.Abs(y))
	}
	return d <= allowed || e.nan && x != x && y != y
}

// guess is the greatest |a−b| − rtol·|b|, and the greatest (|a−b| − atol)/|b|: what would pass, but
// for roundings.
func (w withinSum) guess(p pair) (atol, rtol float64) {
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
				g.atol = max(g.atol, d-float64(w.rtol*y))
				if y > 0 {
					g.rtol = max(g.rtol, (d-w.atol)/y)
				}
			}
		}
		return g
	}) {
		atol, rtol = max(atol, part.atol), max(rtol, part.rtol)
	}
	return atol, rtol
}
