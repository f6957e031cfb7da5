package compare

import (
	"cmp"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// Within is Polygraphy's rule: it is enough that one of the two tolerances is met. With
//
//	abs = |actual − expected|      rel = abs / |expected|
//
// the elementwise check fails if abs > atol and rel > rtol for some element; the other statistics
// fail if stat(abs) > atol and stat(rel) > rtol. A NaN error exceeds any tolerance. An error equal
// to the tolerance passes. The tolerances are float64, and comparisons are in float64.
//
//   - Errors are computed in float32 for element types up to 32 bits, in float64 for float64, and
//     exactly for integers. (Polygraphy lets the difference of two integers wrap around.)
//   - An expected floating-point zero is replaced by 2⁻⁵² in the division; an expected zero of an
//     integer or bool type is not, and gives 0/0 = NaN or x/0 = +Inf.
//   - The error is NaN if both values are NaN or the same infinity; see NaNEqual and
//     InfinitiesEqual of [Options].
//   - Bools differ by 0 or 1. Strings are equal or not, whatever the tolerances.
//   - Two empty tensors are equal, under every statistic; see AllowEmpty of [Options].
//
// A NaN or negative tolerance is an error when the check is used. It is also an error if the check
// passes but could not have failed: if a tolerance is infinite, or if no two values of the element
// type differ by more than atol, such as an atol of 1 for bools.
func Within(atol, rtol float64, stat Stat) Check {
	t := tolerances{atol: atol, rtol: rtol}
	if stat == Elementwise {
		return Check{rule: within{t}}
	}
	return Check{rule: withinStat{stat, t}}
}

// tolerances is embedded in rules with an absolute and a relative tolerance.
type tolerances struct {
	counted
	atol, rtol float64
}

func (t tolerances) parameters() parameters {
	return parameters{stat: Elementwise, atol: t.atol, rtol: t.rtol, limit: nan}
}

func (t tolerances) validate() error {
	return cmp.Or(tolerance("atol", t.atol), tolerance("rtol", t.rtol))
}

// within is the elementwise rule of [Within].
type within struct{ tolerances }

func (w within) name() string { return "within" }

func (w within) text() string {
	return "elementwise: abs ≤ " + figures.Exact(w.atol) + " or rel ≤ " + figures.Exact(w.rtol)
}

func (w within) measure(p pair, r *Result) error {
	r.Mismatches, r.hollow = p.countMismatches(w), p.accepts(w.atol, w.rtol)
	return nil
}

func (w within) elements() elementRule { return w }

func (w within) suggest(p pair, r Result, s *Required) {
	if r.Check.allow > 0 {
		suggestByBisection(p, w.tolerances, r.Check, s, func(t tolerances) elementRule {
			return within{t}
		})
		return
	}
	s.Atol, s.Rtol = p.needs(w.atol, w.rtol)
}

func (w within) mismatching(p pair, lo, hi int, s *scratch) int {
	if p.arith == inString {
		w = within{}
	}
	return p.mismatches(lo, hi, w.atol, w.rtol, s)
}

// brokenBy reports whether an element with these errors breaks the rule. Do not call it for
// strings.
func (w within) brokenBy(abs, rel float64) bool { return !(abs <= w.atol) && !(rel <= w.rtol) }

// withinStat is the rule of [Within] for every statistic except [Elementwise].
type withinStat struct {
	stat Stat
	tolerances
}

func (w withinStat) name() string { return "within" }

func (w withinStat) text() string {
	return fmt.Sprintf("%[1]s: %[1]s abs ≤ %[2]s or %[1]s rel ≤ %[3]s", w.stat, figures.Exact(w.atol),
		figures.Exact(w.rtol))
}

func (w withinStat) parameters() parameters {
	return parameters{stat: w.stat, atol: w.atol, rtol: w.rtol, limit: nan}
}

func (w withinStat) validate() error {
	if err := w.stat.validate(); err != nil {
		return err
	}
	return w.tolerances.validate()
}

func (w withinStat) measure(p pair, r *Result) error {
	if p.arith == inString {
		r.Mismatches = p.countMismatches(within{})
		return nil
	}
	r.Abs, r.Rel = p.statistic(w.stat)
	r.hollow = p.accepts(w.atol, w.rtol)
	return nil
}

func (w withinStat) holds(r *Result) bool {
	if r.Mismatches >= 0 {
		return w.counted.holds(r)
	}
	return r.Abs <= w.atol || r.Rel <= w.rtol
}

func (w withinStat) reason(r *Result) string {
	if r.Mismatches >= 0 {
		return w.counted.reason(r)
	}
	return fmt.Sprintf("%s error: abs %s and rel %s exceed their tolerances", w.stat,
		figures.Short(r.Abs), figures.Short(r.Rel))
}

func (w withinStat) figures(r *Result) string {
	if r.Mismatches >= 0 {
		return w.counted.figures(r)
	}
	return fmt.Sprintf("abs %s, rel %s", figures.Short(r.Abs), figures.Short(r.Rel))
}

func (w withinStat) elements() elementRule { return within{w.tolerances} }

func (w withinStat) mean(results []Result) (Result, bool) { return meanOf(results), true }

func (w withinStat) suggest(_ pair, r Result, s *Required) { s.Atol, s.Rtol = r.Abs, r.Rel }

// statistic returns the given statistic of the absolute and of the relative errors.
func (p *pair) statistic(stat Stat) (abs, rel float64) {
	switch stat {
	case Max:
		most, _ := p.totals()
		return most[0], most[1]
	case Mean:
		_, sums := p.totals()
		return meanError(sums[0], p.n), meanError(sums[1], p.n)
	case Median:
		return p.median()
	}
	q, _ := stat.quantile()
	return p.quantile(q)
}

// totals returns the maxima and the sums of the absolute and of the relative errors. If an error is
// NaN, so are their maximum and their sum.
func (p *pair) totals() (most, sums [2]float64) {
	for _, part := range overBlocks(p.n, func(lo, hi int, s *scratch) (of [2]errorTotals) {
		for ; lo < hi; lo += chunk {
			if end := min(lo+chunk, hi); p.wide {
				p.errorsAndTotals64(lo, end, s, &of)
			} else {
				p.errorsAndTotals(lo, end, s, &of)
			}
		}
		return of
	}) {
		for which := range part {
			greatest, sum := part[which].all()
			most[which], sums[which] = max(most[which], greatest), sums[which]+sum
		}
	}
	return most, sums
}

// meanError returns sum/n for n > 0 errors. If the sum is not zero, neither is the result, even if
// the division underflows.
func meanError(sum float64, n int) float64 {
	mean := sum / float64(n)
	if mean == 0 && sum > 0 {
		return math.SmallestNonzeroFloat64
	}
	return mean
}

// WithinSum is the additive rule of NumPy and torch, for every element:
//
//	|actual − expected| ≤ atol + rtol·|expected|
//
// in float64. Equal infinities are equal, as in numpy.isclose. An element mismatches if only one
// side is infinite, if the sides are infinities of opposite signs, or if a side is NaN. With
// NaNEqual of [Options], NaN equals NaN.
func WithinSum(atol, rtol float64) Check {
	return Check{rule: withinSum{tolerances{atol: atol, rtol: rtol}}}
}

type withinSum struct{ tolerances }

func (w withinSum) name() string { return "within_sum" }

func (w withinSum) text() string {
	return fmt.Sprintf("elementwise: abs ≤ %s + %s·|expected|", figures.Exact(w.atol),
		figures.Exact(w.rtol))
}

func (w withinSum) measure(p pair, r *Result) error {
	r.Mismatches, r.hollow = p.countMismatches(w), p.accepts(w.atol, w.rtol)
	return nil
}

func (w withinSum) elements() elementRule { return w }

func (w withinSum) suggest(p pair, r Result, s *Required) {
	suggestByBisection(p, w.tolerances, r.Check, s, func(t tolerances) elementRule {
		return withinSum{t}
	})
}

// mismatching counts the mismatching elements in [lo,hi). It subtracts floats in float64 and
// integers exactly. Strings must be equal.
func (w withinSum) mismatching(p pair, lo, hi int, s *scratch) (count int) {
	if p.arith == inString {
		return p.mismatches(lo, hi, 0, 0, s)
	}
	for ; lo < hi; lo += chunk {
		end := min(lo+chunk, hi)
		var exact []float64
		if p.exact || p.arith != inFloat32 && p.arith != inFloat64 {
			exact, _ = p.errors64(lo, end, s)
		}
		a := float64s(p.actual, lo, end, &s.a64)
		b := float64s(p.expected, lo, end, &s.b64)
		for i, x := range a {
			d := math.Abs(x - b[i])
			if exact != nil {
				d = exact[i]
			}
			if !w.allows(p.equal, d, x, b[i]) {
				count++
			}
		}
	}
	return count
}

// allows reports whether the rule holds for one element with the difference d.
func (w withinSum) allows(e equality, d, x, y float64) bool {
	if math.IsInf(y, 0) {
		return x == y // otherwise ∞ ≤ rtol·∞ would accept any value
	}
	allowed := w.atol
	if y != 0 {
		allowed += float64(w.rtol * math.Abs(y))
	}
	return d <= allowed || e.nan && x != x && y != y
}
