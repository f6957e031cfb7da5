package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/modelparity/modelparity/tensor"
)

// values holds the numbers of one side. For a large tensor, it holds only every n-th number, the
// smallest and the greatest.
type values struct {
	sorted []float64 // finite numbers
	odd    int       // count of non-finite numbers
	every  int       // n, or 1 if all numbers are held
}

// sampled is the approximate maximum number of values in a sample.
const sampled = 1 << 19

func valuesOf(t *tensor.Tensor) values {
	v := values{every: 1 + t.Len()/sampled}
	if t.ElementType() == tensor.String {
		return v
	}
	var lo, hi float64
	seen := false
	for i := range t.Len() {
		x := t.Float64At(i)
		if !finite(x) {
			v.odd++
			continue
		}
		if !seen {
			lo, hi, seen = x, x, true
		}
		lo, hi = min(lo, x), max(hi, x)
		if i%v.every == 0 {
			v.sorted = append(v.sorted, x)
		}
	}
	if v.every > 1 && seen {
		v.sorted = append(v.sorted, lo, hi)
	}
	slices.Sort(v.sorted)
	return v
}

// quantile returns the quantile q of the sample, with q from 0 to 1.
func (v values) quantile(q float64) float64 {
	return v.sorted[int(q*float64(len(v.sorted)-1)+0.5)]
}

// axisOf returns an axis for both sides. ok is false if a side has no finite numbers.
func axisOf(a, b values) (axis linear, ok bool) {
	if len(a.sorted) == 0 || len(b.sorted) == 0 {
		return linearOf(-1, 1), false
	}
	return linearOf(min(a.sorted[0], b.sorted[0]),
		max(a.sorted[len(a.sorted)-1], b.sorted[len(b.sorted)-1])), true
}

// remark describes the values that are not drawn.
func remark(a, b values) string {
	switch {
	case a.odd+b.odd > 0 && a.every > 1:
		return fmt.Sprintf(" (%d not finite, not shown; 1 in %d)", a.odd+b.odd, a.every)
	case a.odd+b.odd > 0:
		return fmt.Sprintf(" (%d not finite, not shown)", a.odd+b.odd)
	case a.every > 1:
		return fmt.Sprintf(" (1 in %d)", a.every)
	}
	return ""
}

// valueDistributions plots the distributions of both sides' values.
func valueDistributions(actual, expected values) (*plot.Plot, error) {
	x, ok := axisOf(actual, expected)
	p := newPlot("distribution of the values", "value"+remark(actual, expected), "elements")
	p.Add(plotter.NewGrid())
	most := 1
	if ok {
		for _, side := range []struct {
			name  string
			of    values
			style draw.LineStyle
		}{
			{"expected", expected, draw.LineStyle{Color: first, Width: 2.4}},
			{"actual", actual, draw.LineStyle{Color: second, Width: 1.2,
				Dashes: []vg.Length{5, 3}}},
		} {
			var bins [histogramBins]int
			for _, v := range side.of.sorted {
				bins[x.bin(v, histogramBins)]++
			}
			points := make(plotter.XYs, len(bins))
			for i, n := range bins {
				points[i] = plotter.XY{X: x.middle(i, histogramBins), Y: countAt(n)}
			}
			line, err := plotter.NewLine(points)
			if err != nil {
				return nil, fmt.Errorf("plots: %w", err)
			}
			line.StepStyle, line.LineStyle = plotter.MidStep, side.style
			p.Add(line)
			p.Legend.Add(side.name, line)
			most = max(most, slices.Max(bins[:]))
		}
		p.Legend.Top = true
	}
	x.set(&p.X)
	counts(&p.Y, most)
	return p, nil
}

// quantilesAgainst plots the actual values' quantiles against the expected values' quantiles. If
// the distributions are equal, all points lie on the diagonal, whatever the order of the elements.
func quantilesAgainst(actual, expected values) (*plot.Plot, error) {
	axis, ok := axisOf(actual, expected)
	p := newPlot("quantiles against quantiles", "expected"+remark(actual, expected), "actual")
	p.Add(plotter.NewGrid())
	if ok {
		line, err := plotter.NewLine(plotter.XYs{{X: axis.lo, Y: axis.lo}, {X: axis.hi, Y: axis.hi}})
		if err != nil {
			return nil, fmt.Errorf("plots: %w", err)
		}
		line.LineStyle = draw.LineStyle{Color: grey, Width: 1, Dashes: []vg.Length{4, 3}}
		const points = 256
		marks := make(plotter.XYs, points)
		for i := range marks {
			q := float64(i) / (points - 1)
			marks[i] = plotter.XY{X: axis.at(expected.quantile(q)), Y: axis.at(actual.quantile(q))}
		}
		scatter, err := plotter.NewScatter(marks)
		if err != nil {
			return nil, fmt.Errorf("plots: %w", err)
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: first, Radius: 1.8, Shape: draw.CircleGlyph{}}
		p.Add(line, scatter)
	}
	axis.set(&p.X)
	axis.set(&p.Y)
	return p, nil
}
