package plots

import (
	"iter"
	"math"

	"github.com/modelparity/modelparity/compare"
)

// spread is what a logarithmic axis has to know of some numbers that are not negative.
type spread struct {
	least, most    float64 // of the positive finite ones; 0 where there is none
	zeros          int
	nans, infinite int
	n              int
	worst          int // flat index of the first NaN, or else infinity, or else greatest
	worstValue     float64
}

// take counts the number of an element.
func (s *spread) take(at int, v float64) {
	if s.n == 0 || worse(v, s.worstValue) {
		s.worst, s.worstValue = at, v
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

// worse orders errors: NaN, infinity, the greater number.
func worse(a, b float64) bool {
	if a != a || b != b {
		return a != a && b == b
	}
	return a > b
}

// errors is one kind of error of an output.
type errors uint8

const (
	absolute errors = iota
	relative
)

// String is the kind in words.
func (e errors) String() string {
	if e == absolute {
		return "absolute"
	}
	return "relative"
}

// of is an error of the strip. Integers that are both 0 have the relative error 0/0, which is drawn
// as 0: they are equal.
func (e errors) of(s *compare.ErrorStrip, i int) float64 {
	if e == absolute {
		return s.Abs[i]
	}
	if s.Abs[i] == 0 && s.Rel[i] != s.Rel[i] {
		return 0
	}
	return s.Rel[i]
}

// each is the errors of an output, by flat index.
func (e errors) each(o compare.Output) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for s := range o.EachError() {
			for i := range s.Abs {
				if !yield(s.At+i, e.of(&s, i)) {
					return
				}
			}
		}
	}
}
