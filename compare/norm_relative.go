package compare

import (
	"fmt"
	"math"
)

// NormRelative passes where ‖actual−expected‖₂ / ‖expected‖₂ ≤ limit. 0/0 is 0.
func NormRelative(limit float64) Check { return Check{rule: normRelative{atMost{limited{limit}}}} }

type normRelative struct{ atMost }

func (l normRelative) name() string { return "norm_relative" }
func (l normRelative) text() string {
	return fmt.Sprintf("norm-wise relative error ≤ %s", number(l.limit))
}

func (l normRelative) validate() error { return tolerance(l.name(), l.limit) }

func (l normRelative) measure(p pair, r *Result, workers int) error {
	if p.arith == inString {
		return errNoNumbers
	}
	r.Value = p.moments(workers).normRelative()
	return nil
}

func (m moments) normRelative() float64 {
	if m.dd == 0 {
		return 0
	}
	return math.Sqrt(m.dd) / math.Sqrt(m.bb)
}
