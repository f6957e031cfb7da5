package plots

import (
	"iter"
	"math"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
)

// spread summarises non-negative numbers, such as errors, for a logarithmic axis.
type spread struct {
	least, most    float64 // smallest and largest of the positive finite numbers; 0 if there are none
	zeros          int
	nans, infinite int
	n              int
	worst          int // flat index of the first NaN, or else infinity, or else the largest number
	worstValue     float64
}

// take adds the number v. index is the flat index of the element that it belongs to.
func (s *spread) take(index int, v float64) {
	if s.n == 0 || figures.Worse(v, s.worstValue) {
		s.worst, s.worstValue = index, v
	}
	s.n++
	switch {
	case v != v:
		s.nans++
	case v > math.MaxFloat64:
		s.infinite++
	case v == 0:
		s.zeros++
	default:
		if s.least == 0 || v < s.least {
			s.least = v
		}
		s.most = max(s.most, v)
	}
}

// errors is one of the two kinds of error, absolute or relative.
type errors uint8

const (
	absolute errors = iota
	relative
)

// String returns "absolute" or "relative".
func (e errors) String() string {
	if e == absolute {
		return "absolute"
	}
	return "relative"
}

// of returns abs if the kind is absolute errors, and rel if it is relative errors. If two integers
// are both 0, their relative error 0/0 is drawn as 0.
func (e errors) of(abs, rel float64) float64 {
	switch {
	case e == absolute:
		return abs
	case abs == 0 && rel != rel:
		return 0
	}
	return rel
}

// each iterates over an output's errors of this kind, by flat index.
func (e errors) each(o compare.Output) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		at := 0
		for abs, rel := range o.EachError() {
			for i := range abs {
				if !yield(at, e.of(abs[i], rel[i])) {
					return
				}
				at++
			}
		}
	}
}
