package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"github.com/modelparity/modelparity/internal/figures"
)

// logAxis is a logarithmic axis. Zero has no logarithm, and has a place of its own below the
// smallest number.
type logAxis struct {
	lo, hi float64 // log₁₀ of the smallest and the largest number
	zero   bool    // whether zero is among the numbers
}

// logOf returns an axis for the numbers summarised by s.
func logOf(s *spread) logAxis {
	a := logAxis{lo: -1, hi: 1, zero: s.zeros > 0}
	if s.most > 0 {
		a.lo, a.hi = math.Log10(s.least), math.Log10(s.most)
	}
	if a.hi-a.lo < 0.1 {
		a.lo, a.hi = a.lo-0.5, a.hi+0.5
	}
	return a
}

// width returns the length of the axis in powers of ten, without the part that shows zero.
func (a logAxis) width() float64 { return a.hi - a.lo }

// zeroAt returns the position of zero.
func (a logAxis) zeroAt() float64 { return a.lo - 0.08*a.width() }

// fraction returns the relative position of v between the ends of the axis, from 0 to 1.
func (a logAxis) fraction(v float64) float64 { return (math.Log10(v) - a.lo) / a.width() }

// bin returns the index of the bin that contains v, of n bins, or −1 for zero.
func (a logAxis) bin(v float64, n int) int {
	if v == 0 {
		return -1
	}
	return min(max(int(a.fraction(v)*float64(n)), 0), n-1)
}

// middle returns the position of the middle of a bin.
func (a logAxis) middle(bin, n int) float64 {
	if bin < 0 {
		return a.zeroAt()
	}
	return a.lo + (float64(bin)+0.5)/float64(n)*a.width()
}

// set applies the range and the ticks to a plot's axis.
func (a logAxis) set(axis *plot.Axis) {
	axis.Min, axis.Max = a.lo-0.03*a.width(), a.hi+0.03*a.width()
	if a.zero {
		axis.Min = a.zeroAt() - 0.05*a.width()
	}
	axis.Tick.Marker = plot.ConstantTicks(a.ticks())
}

// ticks returns ticks at powers of ten, or evenly spaced ticks if there are fewer than two powers.
func (a logAxis) ticks() []plot.Tick {
	var ticks []plot.Tick
	if a.zero {
		ticks = append(ticks, plot.Tick{Value: a.zeroAt(), Label: "0"})
	}
	from, to := int(math.Ceil(a.lo)), int(math.Floor(a.hi))
	if to > from {
		step := (to-from)/6 + 1
		for at := from; at <= to; at += step {
			ticks = append(ticks, plot.Tick{Value: float64(at), Label: fmt.Sprintf("1e%d", at)})
		}
		return ticks
	}
	for i := range 3 {
		at := a.lo + a.width()*float64(i)/2
		ticks = append(ticks, plot.Tick{Value: at, Label: figures.Short(math.Pow(10, at))})
	}
	return ticks
}
