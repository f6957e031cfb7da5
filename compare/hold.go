package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// hold holds the pair to one check.
func (p *pair) hold(check Check, workers int) (Result, error) {
	r := Result{Check: check, Verdict: Pass, Abs: nan, Rel: nan, Value: nan, Mismatches: -1}
	switch {
	case check.rule == ruleULP && p.arith != inString:
		if p.actual.ElementType() != p.expected.ElementType() {
			return Result{}, fmt.Errorf("compare: the ulp distance needs one element type, got %v and %v",
				p.actual.ElementType(), p.expected.ElementType())
		}
		u := p.ulps(check.limit, workers)
		r.Value, r.Mismatches = u.most, u.count
	case p.arith == inString && check.rule == ruleWithin, check.elementwise():
		r.Mismatches = p.countMismatches(check, workers)
	case check.rule == ruleWithin:
		r.Abs, r.Rel = p.statistic(check.stat, workers)
	default:
		if err := p.metric(&r, workers); err != nil {
			return Result{}, err
		}
	}
	if !r.holds(p.n) {
		r.Verdict = Fail
	}
	return r, nil
}

// holds is the verdict over the numbers of a result. A NaN never holds.
func (r *Result) holds(n int) bool {
	c := r.Check
	switch {
	case r.Mismatches >= 0 && c.rule != ruleTopK && c.rule != ruleKL: // also Indices
		return c.allows(r.Mismatches, n)
	case c.rule == ruleWithin:
		return r.Abs <= c.atol || r.Rel <= c.rtol
	case c.rule == ruleCosine, c.rule == rulePSNR, c.rule == ruleSNR, c.rule == ruleTopK:
		return r.Value >= c.limit
	}
	return r.Value <= c.limit
}

// allows reports whether so many mismatches of n elements are within AllowMismatch.
func (c Check) allows(mismatches, n int) bool {
	return float64(mismatches) <= c.allow*float64(n)
}

// statistic is one statistic of both errors.
func (p *pair) statistic(stat Stat, workers int) (abs, rel float64) {
	switch stat {
	case Max:
		t := p.totals(workers)
		return t.absMax, t.relMax
	case Mean:
		t := p.totals(workers)
		return t.absSum / float64(p.n), t.relSum / float64(p.n)
	case Median:
		return p.median(workers)
	}
	q, _ := stat.quantile()
	return p.quantile(q, workers)
}

// countMismatches is the number of elements that an elementwise check finds out of tolerance.
func (p *pair) countMismatches(check Check, workers int) int {
	atol, rtol := p.tolerances(check)
	if p.n <= block {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		return p.mismatching(check.rule, 0, p.n, atol, rtol, s)
	}
	return p.inParallel(check.rule, atol, rtol, workers)
}

// inParallel has a copy of the pair for its closure, so that callers can keep theirs on the stack.
func (p pair) inParallel(by rule, atol, rtol float64, workers int) (total int) {
	for _, n := range overBlocks(p.n, workers, func(lo, hi int, s *scratch) int {
		return p.mismatching(by, lo, hi, atol, rtol, s)
	}) {
		total += n
	}
	return total
}

func (p *pair) mismatching(by rule, lo, hi int, atol, rtol float64, s *scratch) int {
	if by == ruleSum && p.arith != inString {
		return p.mismatchingSums(lo, hi, atol, rtol, s)
	}
	return p.mismatches(lo, hi, atol, rtol, s)
}

// ulps folds the whole pair.
func (p *pair) ulps(limit float64, workers int) (total ulps) {
	for _, part := range overBlocks(p.n, workers, func(lo, hi int, _ *scratch) ulps {
		return p.ulpsOver(lo, hi, limit)
	}) {
		total.most = math.Max(total.most, part.most)
		total.count += part.count
	}
	return total
}

// tolerances are those that a Within, WithinSum or Defaults means for this pair. Strings are equal
// or not.
func (p *pair) tolerances(c Check) (atol, rtol float64) {
	switch {
	case p.arith == inString:
		return 0, 0
	case c.rule == ruleDefaults:
		return defaults(p.actual.ElementType(), p.expected.ElementType())
	}
	return c.atol, c.rtol
}

// defaults is the tolerances of [Defaults]: the coarser of two types'.
func defaults(x, y tensor.ElementType) (atol, rtol float64) {
	xa, xr := defaultTolerances(x)
	ya, yr := defaultTolerances(y)
	return max(xa, ya), max(xr, yr)
}

func defaultTolerances(t tensor.ElementType) (atol, rtol float64) {
	switch t {
	case tensor.Float64:
		return 1e-7, 1e-7
	case tensor.Float32:
		return 1e-5, 1.3e-6
	case tensor.Float16:
		return 1e-5, 1e-3
	case tensor.BFloat16:
		return 1e-5, 1.6e-2
	}
	if t.IsFloat() { // float8
		return 1e-1, 1e-1
	}
	return 0, 0
}

// reason is one line that says by how much the check fails.
func (r Result) reason(n int) string {
	switch {
	case r.Mismatches >= 0:
		return fmt.Sprintf("%d of %d elements mismatch (%s)", r.Mismatches, n,
			percent(float64(r.Mismatches)/float64(n)))
	case r.Check.rule == ruleWithin:
		return fmt.Sprintf("%s error: abs %s and rel %s exceed their tolerances", r.Check.stat,
			short(r.Abs), short(r.Rel))
	}
	return fmt.Sprintf("%s is %s", ruleNames[r.Check.rule], short(r.Value))
}
