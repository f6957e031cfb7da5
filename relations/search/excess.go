package search

import (
	"math"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// excess returns the largest error of an element, in multiples of the rule's first tolerance. If
// the rule has none, it is in multiples of 2⁻²³ of the expected value. The excess is infinite if an
// element is finite on only one side.
func excess(actual, expected *tensor.Set, rule compare.Options) float64 {
	atol, rtol := 0.0, 0x1p-23
	for _, c := range rule.Checks {
		if a, r, ok := c.Tolerances(); ok {
			atol, rtol = a, r
			break
		}
	}
	largest := 0.0
	for name, e := range expected.All() {
		a, ok := actual.Get(name)
		if !ok || !a.Shape().Equal(e.Shape()) || e.ElementType() == tensor.String {
			continue // the rule's verdict covers this
		}
		for i := range e.Len() {
			largest = max(largest, apart(a.Float64At(i), e.Float64At(i), atol, rtol))
		}
	}
	return largest
}

func apart(a, e, atol, rtol float64) float64 {
	switch {
	case a == e, math.IsNaN(a) && math.IsNaN(e):
		return 0
	case a-a != 0 || e-e != 0:
		return math.Inf(1)
	}
	least := math.Inf(1)
	d := math.Abs(a - e)
	if atol > 0 {
		least = d / atol
	}
	if rtol > 0 && e != 0 {
		least = min(least, d/math.Abs(e)/rtol)
	}
	return least
}
