package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// NormRelative passes if ‖actual−expected‖₂ / ‖expected‖₂ ≤ limit. If the expected side is all
// zeros, there is no norm to divide by. Any difference then counts as +Inf and fails; it is an
// error if the actual side is all zeros too.
func NormRelative(limit float64) Check { return Check{rule: normRelative{atMost{limited{limit}}}} }

type normRelative struct{ atMost }

func (l normRelative) name() string { return "norm_relative" }
func (l normRelative) text() string {
	return fmt.Sprintf("norm-wise relative error ≤ %s", figures.Exact(l.limit))
}

func (l normRelative) validate() error { return l.below(l.name()) }

func (l normRelative) measure(p pair, r *Result) error {
	m := p.moments()
	r.Value, r.hollow = m.normRelative(), m.noSignal()
	return nil
}

func (m moments) normRelative() float64 {
	if m.dd == 0 {
		return 0
	}
	ratio := math.Ldexp(math.Sqrt(m.dd)/math.Sqrt(m.bb), m.by.d-m.by.b)
	if ratio == 0 && !math.IsInf(m.bb, 1) {
		return math.SmallestNonzeroFloat64 // a difference counts, however small
	}
	return ratio
}
