package compare

import (
	"fmt"
	"math"
)

// SNR passes where 10·log10(Σexpected² / Σ(actual−expected)²) ≥ limit, in decibels. The signal is
// the expected side; Polygraphy takes the other. Equal tensors have +Inf, zeros among them; a
// difference from an expected side of zeros has −Inf.
func SNR(limit float64) Check { return Check{rule: snr{atLeast{limited{limit}}}} }

type snr struct{ atLeast }

func (l snr) name() string { return "snr" }
func (l snr) text() string { return fmt.Sprintf("snr ≥ %s dB", number(l.limit)) }

func (l snr) validate() error { return l.notNaN(l.name()) }

func (l snr) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	r.Value = p.moments(workers).snr()
	return nil
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
