package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// PSNR passes if 20·log10(peak) − 10·log10(mean squared error) ≥ limit, in decibels. The peak is
// the largest expected value, or 1 if that is not positive; Polygraphy uses the largest actual
// value. Equal tensors have a PSNR of +Inf.
func PSNR(limit float64) Check { return Check{rule: psnr{atLeast{limited{limit}}}} }

type psnr struct{ atLeast }

func (l psnr) name() string { return "psnr" }
func (l psnr) text() string { return fmt.Sprintf("psnr ≥ %s dB", figures.Exact(l.limit)) }

func (l psnr) validate() error { return l.above(l.name(), math.Inf(-1), math.Inf(1)) }

func (l psnr) measure(p pair, r *Result) error {
	m := p.moments()
	r.Value = m.psnr()
	if math.IsInf(m.peak, 1) {
		r.hollow = hollow(holdOtherwise,
			"the expected side contains an infinity, which dwarfs any noise")
	}
	return nil
}

func (m moments) psnr() float64 {
	noise := float64(10*math.Log10(m.dd/m.n)) + decibels(m.by.d)
	switch {
	case m.dd == 0:
		return math.Inf(1)
	case m.peak <= 0:
		return -noise // the peak is 1
	}
	return float64(20*log10(m.peak)) - noise
}

// log10 returns the decimal logarithm. On some processors math.Log10 treats every subnormal number
// as the smallest normal number, so log10 scales subnormal numbers first.
func log10(v float64) float64 {
	if v < 0x1p-1022 {
		return math.Log2(v) * math.Log10(2)
	}
	return math.Log10(v)
}

func (l psnr) mean(results []Result) (Result, bool) { return meanOfDecibels(results), true }
