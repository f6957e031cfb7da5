package compare

import (
	"fmt"
	"math"
)

// KL passes where the Kullback-Leibler divergence Σ p·ln(p/q) ≤ limit, in nats, for every
// distribution p (expected) and q (actual) along the last axis. Each is scaled to sum 1. A negative
// or non-finite value, or a distribution of zeros, fails; q = 0 where p > 0 is +Inf.
func KL(limit float64) Check { return Check{rule: kl{atMost{limited{limit}}}} }

type kl struct{ atMost }

func (l kl) name() string { return "kl" }
func (l kl) text() string { return fmt.Sprintf("kl divergence ≤ %s", number(l.limit)) }

func (l kl) validate() error { return tolerance(l.name(), l.limit) }

func (l kl) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	r.Value, r.Mismatches = p.divergence(l.limit, workers)
	r.of, _ = rows(p.expected)
	return nil
}

func (l kl) reason(r *Result) string {
	return fmt.Sprintf("kl divergence is %s: %d of %d rows exceed the limit", short(r.Value),
		r.Mismatches, r.of)
}

// divergence is the greatest Kullback-Leibler divergence of a row, and how many rows exceed limit.
func (p pair) divergence(limit float64, workers int) (most float64, exceeding int) {
	count, length := rows(p.expected)
	return overRows(count, length, workers, func(r int) (float64, bool) {
		d := p.divergenceOf(r*length, length)
		return d, !(d <= limit)
	}, math.Max)
}

// divergenceOf is Σ p·ln(p/q) of one row in nats, both scaled to sum 1. It is NaN where one of them
// is no distribution. math.Max keeps NaN, so one such row fails the tensor.
func (p pair) divergenceOf(start, length int) float64 {
	var q, e float64 // the sums: q of the actual row, e of the expected one
	for i := start; i < start+length; i++ {
		x, y := p.actual.Float64At(i), p.expected.Float64At(i)
		if !(x >= 0 && y >= 0) {
			return nan
		}
		q += x
		e += y
	}
	if !(q > 0 && e > 0 && q <= math.MaxFloat64 && e <= math.MaxFloat64) {
		return nan
	}
	var d float64
	for i := start; i < start+length; i++ {
		if y := p.expected.Float64At(i) / e; y > 0 {
			d += float64(y * math.Log(y/(p.actual.Float64At(i)/q)))
		}
	}
	return max(0, d) // rounding can take equal distributions below 0
}
