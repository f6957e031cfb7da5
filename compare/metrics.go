package compare

import (
	"fmt"
	"math"
)

// metric computes the one number of the rules that have one, into r.
func (p *pair) metric(r *Result, workers int) error {
	switch r.Check.rule {
	case ruleIndices:
		r.Value, r.Mismatches = p.indices(int(r.Check.limit))
		return nil
	case ruleTopK, ruleKL:
		if p.arith == inString {
			return p.noNumbers(r.Check)
		}
		if r.Check.rule == ruleKL {
			r.Value, r.Mismatches = p.divergence(r.Check.limit, workers)
		} else {
			r.Value, r.Mismatches = p.topKAgreement(r.Check.k, workers)
		}
		return nil
	}
	if p.arith == inString {
		return p.noNumbers(r.Check)
	}
	m := p.moments(workers)
	switch r.Check.rule {
	case ruleL2:
		r.Value = m.l2()
	case ruleCosine:
		r.Value = m.cosine()
	case rulePSNR:
		r.Value = m.psnr()
	case ruleSNR:
		r.Value = m.snr()
	case ruleNorm:
		r.Value = m.normRelative()
	}
	return nil
}

func (p *pair) noNumbers(c Check) error {
	return fmt.Errorf("compare: %v: strings have no numbers; hold them to Within, which asks for "+
		"equality", c)
}

// moments are the sums behind the metrics, of both sides multiplied by scale.
type moments struct {
	n              float64
	dd, ab, aa, bb float64 // Σ(a−b)², Σab, Σa², Σb²
	peak           float64 // the greatest expected value, −Inf for none
	scale          float64
}

// moments folds the whole pair. Squares of float64 values can leave the range of float64 both ways;
// only where they do, the sums are taken again with both sides scaled by a power of two.
func (p *pair) moments(workers int) moments {
	m := p.scaledMoments(1, workers)
	if p.arith != inFloat64 || m.comfortable() {
		return m
	}
	most := p.greatest(workers)
	if most == 0 || most > math.MaxFloat64 || most != most {
		return m
	}
	_, exponent := math.Frexp(most)
	return p.scaledMoments(math.Ldexp(1, -exponent), workers)
}

// comfortable reports whether no square can have been lost at either end.
func (m moments) comfortable() bool {
	for _, sum := range []float64{m.dd, m.aa, m.bb} {
		if !(sum >= 1e-280 && sum <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

func (p *pair) scaledMoments(scale float64, workers int) moments {
	total := moments{n: float64(p.n), peak: math.Inf(-1), scale: scale}
	for _, part := range overBlocks(p.n, workers, func(lo, hi int, s *scratch) moments {
		return p.momentsOf(lo, hi, scale, s)
	}) {
		total.dd += part.dd
		total.ab += part.ab
		total.aa += part.aa
		total.bb += part.bb
		total.peak = math.Max(total.peak, part.peak)
	}
	return total
}

func (p *pair) momentsOf(lo, hi int, scale float64, s *scratch) moments {
	m := moments{peak: math.Inf(-1)}
	for ; lo < hi; lo += strip {
		end := min(lo+strip, hi)
		abs, _ := p.errors64(lo, end, s)
		for _, d := range abs {
			d *= scale
			m.dd += float64(d * d)
		}
		a, b := float64s(p.actual, lo, end, &s.a64), float64s(p.expected, lo, end, &s.b64)
		for i, x := range a {
			x, y := x*scale, b[i]*scale
			m.ab += float64(x * y)
			m.aa += float64(x * x)
			m.bb += float64(y * y)
			if !(y <= m.peak) && m.peak == m.peak {
				m.peak = y
			}
		}
	}
	return m
}

// greatest is the greatest magnitude on either side.
func (p *pair) greatest(workers int) (most float64) {
	for _, part := range overBlocks(p.n, workers, func(lo, hi int, s *scratch) (most float64) {
		for ; lo < hi; lo += strip {
			end := min(lo+strip, hi)
			a, b := float64s(p.actual, lo, end, &s.a64), float64s(p.expected, lo, end, &s.b64)
			for i := range a {
				most = max(most, math.Abs(a[i]), math.Abs(b[i]))
			}
		}
		return most
	}) {
		most = max(most, part)
	}
	return most
}

func (m moments) l2() float64 { return math.Sqrt(m.dd) / m.scale }

func (m moments) cosine() float64 {
	a, b := math.Sqrt(m.aa), math.Sqrt(m.bb)
	switch {
	case a == 0 && b == 0:
		return 1
	case a == 0 || b == 0:
		return 0
	}
	return max(-1, min(1, m.ab/a/b)) // Go's min and max let NaN win
}

func (m moments) psnr() float64 {
	if m.n == 0 {
		return nan
	}
	mse := 10*math.Log10(m.dd/m.n) - 20*math.Log10(m.scale)
	switch {
	case m.dd == 0:
		return math.Inf(1)
	case m.peak <= 0:
		return -mse // against a peak of 1
	}
	return 20*(math.Log10(m.peak)-math.Log10(m.scale)) - mse
}

func (m moments) snr() float64 {
	switch {
	case m.n == 0:
		return nan
	case m.dd == 0:
		return math.Inf(1)
	}
	return 10 * math.Log10(m.bb/m.dd) // −Inf without a signal
}

func (m moments) normRelative() float64 {
	if m.dd == 0 {
		return 0
	}
	return math.Sqrt(m.dd) / math.Sqrt(m.bb)
}
