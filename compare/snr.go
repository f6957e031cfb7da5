package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// SNR passes if 10·log10(Σexpected² / Σ(actual−expected)²) ≥ limit, in decibels. The signal is the
// expected side; Polygraphy uses the actual side. It is an error if both sides are all zeros. All
// other equal tensors have an SNR of +Inf. If only the expected side is all zeros, the SNR is −Inf
// and the check fails.
func SNR(limit float64) Check { return Check{rule: snr{atLeast{limited{limit}}}} }

type snr struct{ atLeast }

func (l snr) name() string { return "snr" }
func (l snr) text() string { return fmt.Sprintf("snr ≥ %s dB", figures.Exact(l.limit)) }

func (l snr) validate() error { return l.above(l.name(), math.Inf(-1), math.Inf(1)) }

func (l snr) measure(p pair, r *Result) error {
	m := p.moments()
	r.Value, r.hollow = m.snr(), m.noSignal()
	return nil
}

func (m moments) snr() float64 {
	if m.dd == 0 {
		return math.Inf(1)
	}
	ratio := log10(m.bb / m.dd) // −Inf if there is no signal
	if math.IsInf(ratio, 0) && kept(m.bb) && kept(m.dd) {
		ratio = log10(m.bb) - log10(m.dd) // the quotient is outside float64's range
	}
	return float64(10*ratio) + decibels(m.by.b) - decibels(m.by.d)
}

func (l snr) mean(results []Result) (Result, bool) { return meanOfDecibels(results), true }

// noSignal returns an error if the expected side is all zeros or has an infinity, because errors
// measured relative to such values prove nothing. Otherwise it returns nil.
func (m moments) noSignal() *Powerless {
	switch {
	case m.bb == 0:
		return hollow(holdOtherwise, "the expected side is all zeros, so there is no signal to "+
			"compare an error with")
	case math.IsInf(m.bb, 1):
		return hollow(holdOtherwise, "the expected side contains an infinity, which dwarfs any error")
	}
	return nil
}
