package compare

import (
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// hold holds the pair to one check.
func (p *pair) hold(check Check, workers int) (Result, error) {
	r := Result{Check: check, Verdict: Pass, Abs: nan, Rel: nan, Value: nan, Mismatches: -1}
	if p.arith == inString || check.elementwise() {
		n, err := p.countMismatches(check, workers)
		if err != nil {
			return Result{}, err
		}
		r.Mismatches = n
		if float64(n) > check.allow*float64(p.n) {
			r.Verdict = Fail
		}
		return r, nil
	}
	if check.rule != ruleWithin {
		return Result{}, fmt.Errorf("compare: %v is not computed", check)
	}
	r.Abs, r.Rel = p.statistic(check.stat, workers)
	if !(r.Abs <= check.atol) && !(r.Rel <= check.rtol) {
		r.Verdict = Fail
	}
	return r, nil
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
func (p *pair) countMismatches(check Check, workers int) (int, error) {
	atol, rtol := check.atol, check.rtol
	if check.rule == ruleDefaults {
		atol, rtol = defaults(p.actual.ElementType(), p.expected.ElementType())
	}
	if p.arith == inString {
		atol, rtol = 0, 0 // equality
	}
	if p.n <= block {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		return p.mismatches(0, p.n, atol, rtol, s), nil
	}
	total := 0
	for _, n := range overBlocks(p.n, workers, func(lo, hi int, s *scratch) int {
		return p.mismatches(lo, hi, atol, rtol, s)
	}) {
		total += n
	}
	return total, nil
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
