package compare

import (
	"fmt"
	"math"
)

// PSNR passes where 20·log10(peak) − 10·log10(mean squared error) ≥ limit, in decibels. The peak
// is the expected side's greatest value, or 1 where that is not positive; Polygraphy takes the
// other side. Equal tensors have +Inf.
func PSNR(limit float64) Check { return Check{rule: psnr{atLeast{limited{limit}}}} }

type psnr struct{ atLeast }

func (l psnr) name() string { return "psnr" }
func (l psnr) text() string { return fmt.Sprintf("psnr ≥ %s dB", number(l.limit)) }

func (l psnr) validate() error { return l.notNaN(l.name()) }

func (l psnr) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	r.Value = p.moments(workers).psnr()
	return nil
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
