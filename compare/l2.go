package compare

import (
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// L2 passes if √Σ(actual−expected)² ≤ limit, summed in float64.
func L2(limit float64) Check { return Check{rule: l2{atMost{limited{limit}}}} }

type l2 struct{ atMost }

func (l l2) name() string { return "l2" }
func (l l2) text() string { return "l2 norm of the error ≤ " + figures.Exact(l.limit) }

func (l l2) validate() error { return l.below(l.name()) }

func (l l2) measure(p pair, r *Result) error {
	r.Value = p.moments().l2()
	return nil
}

func (m moments) l2() float64 { return math.Ldexp(math.Sqrt(m.dd), m.by.d) }
