package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// KL passes if the Kullback-Leibler divergence Σ p·ln(p/q) ≤ limit, in nats, for every distribution
// p (expected) and q (actual) along the last axis. Each row is first scaled so that its sum is 1. A
// row that is all zeros, or has a negative or non-finite value, fails the check on the actual side
// and is an error on the expected side. If q = 0 and p > 0 the divergence is +Inf.
func KL(limit float64) Check { return Check{rule: kl{atMost{limited{limit}}}} }

type kl struct{ atMost }

func (l kl) name() string { return "kl" }
func (l kl) text() string { return fmt.Sprintf("kl divergence ≤ %s", figures.Exact(l.limit)) }

func (l kl) validate() error { return l.below(l.name()) }

func (l kl) measure(p pair, r *Result) error {
	r.Value, r.Mismatches = p.divergence(l.limit)
	length := 0
	r.Of, length = rows(p.expected)
	switch {
	case r.Value == r.Value && length == 1:
		r.hollow = hollow("use Within, or put the probabilities along the last axis",
			"each row has one probability, which is always 1")
	case r.Value != r.Value:
		const softmax = "KL compares probabilities, so apply softmax to logits first"
		if why := noDistribution(p.expected); why != "" {
			return fmt.Errorf("the expected side is not a distribution: %s; %s", why, softmax)
		}
		r.Text = "the actual side is not a distribution: " + noDistribution(p.actual)
	}
	return nil
}

func (l kl) reason(r *Result) string {
	if r.Text != "" {
		return l.name() + ": " + r.Text
	}
	return fmt.Sprintf("kl divergence is %s: %d of %d rows exceed the limit", figures.Short(r.Value),
		r.Mismatches, r.Of)
}

// divergence returns the largest Kullback-Leibler divergence over all rows, and the number of rows
// that exceed the limit.
func (p pair) divergence(limit float64) (most float64, exceeding int) {
	type divergences struct {
		most      float64
		exceeding int
	}
	count, length := rows(p.expected)
	for _, part := range overRows(count, length, func(total *divergences, r int) {
		d := p.divergenceOf(r*length, length)
		if total.most = math.Max(total.most, d); !(d <= limit) {
			total.exceeding++
		}
	}) {
		most, exceeding = math.Max(most, part.most), exceeding+part.exceeding
	}
	return most, exceeding
}

// divergenceOf returns Σ p·ln(p/q) of one row in nats, with p and q scaled to the sum 1. It returns
// NaN if p or q is not a distribution; the caller takes the maximum over the rows with math.Max,
// which propagates NaN, so one such row fails the tensor.
func (p pair) divergenceOf(start, length int) float64 {
	q, e := mass(p.actual, start, length), mass(p.expected, start, length)
	if q != q || e != e {
		return nan
	}
	var d float64
	for i := start; i < start+length; i++ {
		if y := p.expected.Float64At(i) / e; y > 0 {
			d += float64(y * math.Log(y/(p.actual.Float64At(i)/q)))
		}
	}
	return max(0, d) // rounding can make the sum for equal distributions negative
}

// mass returns the sum of a row, or NaN if the row cannot be scaled to a distribution.
func mass(t *tensor.Tensor, start, length int) (sum float64) {
	for i := start; i < start+length; i++ {
		v := t.Float64At(i)
		if !(v >= 0) {
			return nan
		}
		sum += v
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return nan
	}
	return sum
}

// noDistribution returns a note that says which row is not a distribution, and why. It returns ""
// if all rows are distributions.
func noDistribution(t *tensor.Tensor) string {
	count, length := rows(t)
	for r := range count {
		start := r * length
		if sum := mass(t, start, length); sum == sum {
			continue
		}
		zeros := true
		for i := start; i < start+length; i++ {
			v := t.Float64At(i)
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Sprintf("row %d contains %s", r, t.Text(i))
			}
			zeros = zeros && v == 0
		}
		if zeros {
			return fmt.Sprintf("row %d is all zeros", r)
		}
		return fmt.Sprintf("row %d has no finite sum", r)
	}
	return ""
}
