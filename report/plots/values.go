package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/modelparity/modelparity/tensor"
)

// values contains the numbers of one side. For a large tensor, it contains only every n-th number,
// plus the smallest and the largest one.
type values struct {
	sorted []float64 // finite numbers
	odd    int       // count of non-finite numbers
	every  int       // n, or 1 if all numbers are kept
}

// sampled is the approximate maximum number of values in a sample.
const sampled = 1 << 19

func valuesOf(t *tensor.Tensor) values {
	v := values{every: 1 + t.Len()/sampled}
	if t.ElementType() == tensor.String {
		return v
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range t.Len() {
		x := t.Float64At(i)
		if !finite(x) {
			v.odd++
			continue
		}
		if i%v.every == 0 || x < lo || x > hi { // the extremes are always in the sample
			v.sorted = append(v.sorted, x)
		}
		lo, hi = min(lo, x), max(hi, x)
	}
	slices.Sort(v.sorted)
	return v
}

// quantile returns the quantile q of the sample, with q from 0 to 1.
func (v values) quantile(q float64) float64 {
	return v.sorted[int(q*float64(len(v.sorted)-1)+0.5)]
}

// remark describes the values that are not drawn.
func remark(a, b values) string {
	text := ""
	if a.odd+b.odd > 0 {
		text = fmt.Sprintf(" (%d not finite, not shown)", a.odd+b.odd)
	}
	if a.every > 1 {
		text += fmt.Sprintf(" (1 in %d)", a.every)
	}
	return text
}

// quantilesAgainst plots the actual values' quantiles against the expected values' quantiles. If
// the distributions are equal, all points lie on the diagonal, whatever the order of the elements.
func quantilesAgainst(actual, expected values) *plot.Plot {
	p := newPlot("quantiles against quantiles", "expected"+remark(actual, expected), "actual")
	p.Add(plotter.NewGrid())
	axis := linearOf(-1, 1)
	if a, e := actual.sorted, expected.sorted; len(a) > 0 && len(e) > 0 {
		axis = linearOf(min(a[0], e[0]), max(a[len(a)-1], e[len(e)-1]))
		line := &plotter.Line{XYs: plotter.XYs{{X: axis.lo, Y: axis.lo}, {X: axis.hi, Y: axis.hi}},
			LineStyle: draw.LineStyle{Color: grey, Width: 1, Dashes: []vg.Length{4, 3}}}
		const points = 256
		marks := make(plotter.XYs, points)
		for i := range marks {
			q := float64(i) / (points - 1)
			marks[i] = plotter.XY{X: axis.at(expected.quantile(q)), Y: axis.at(actual.quantile(q))}
		}
		p.Add(line, &plotter.Scatter{XYs: marks,
			GlyphStyle: draw.GlyphStyle{Color: first, Radius: 1.8, Shape: draw.CircleGlyph{}}})
	}
	axis.set(&p.X)
	axis.set(&p.Y)
	return p
}
