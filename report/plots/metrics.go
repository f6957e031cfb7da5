package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// metrics draws five plots of an output: the absolute and the relative error against the magnitude
// of the reference, the distributions of both errors, and the quantiles of one side's values
// against the other's.
func metrics(o compare.Output) ([]byte, error) {
	magnitudes := magnitudesOf(o.Expected)
	panels := [][]*plot.Plot{{}, {}}
	for _, kind := range []errors{absolute, relative} {
		var s spread
		for at, v := range kind.each(o) {
			s.take(at, v)
		}
		panels[0] = append(panels[0], againstMagnitude(o, kind, &s, &magnitudes))
		panels[1] = append(panels[1], distributionOf(o, kind, &s))
	}
	panels[0] = append(panels[0], quantilesAgainst(valuesOf(o.Actual), valuesOf(o.Expected)))
	panels[1] = append(panels[1], nil)
	sheet := newSheet(15, 9)
	title := fmt.Sprintf("%s, %v%v", printable(o.Name, 90), o.Actual.ElementType(), o.Actual.Shape())
	sheet.all.FillText(text(14, black), vg.Point{X: 12, Y: 9*vg.Inch - 22}, title)
	tiles := draw.Tiles{Rows: 2, Cols: 3, PadX: 24, PadY: 18, PadLeft: 8, PadRight: 16, PadBottom: 8,
		PadTop: 34}
	for row, canvases := range plot.Align(panels, tiles, sheet.all) {
		for column, canvas := range canvases {
			if p := panels[row][column]; p != nil {
				p.Draw(canvas)
			}
		}
	}
	return sheet.png()
}

// magnitudesOf summarises the magnitudes of the expected values.
func magnitudesOf(t *tensor.Tensor) (s spread) {
	if t.ElementType() == tensor.String {
		return s
	}
	for i := range t.Len() {
		s.take(i, math.Abs(t.Float64At(i)))
	}
	return s
}

// The numbers of bins along each axis of a plot of errors against magnitudes, and in a histogram.
const (
	acrossBins, upBins = 220, 150
	histogramBins      = 48
)

// againstMagnitude plots the number of elements by error and magnitude. Counting elements in bins
// keeps the picture of a large tensor small without omitting elements.
func againstMagnitude(o compare.Output, kind errors, s, magnitudes *spread) *plot.Plot {
	y, x := logOf(s), logOf(magnitudes)
	p := newPlot(fmt.Sprintf("%v error against magnitude", kind), "|expected|", fmt.Sprintf("%v error",
		kind))
	note(&p.X, s)
	x.set(&p.X)
	y.set(&p.Y)
	p.Add(plotter.NewGrid())
	if o.Expected.ElementType() == tensor.String {
		p.X.Label.Text = "strings have no magnitude"
		return p
	}
	found := map[[2]int]int{}
	for at, v := range kind.each(o) {
		if magnitude := math.Abs(o.Expected.Float64At(at)); finite(v) && finite(magnitude) {
			found[[2]int{x.bin(magnitude, acrossBins), y.bin(v, upBins)}]++
		}
	}
	var bins [][2]int
	most := 1
	for bin, n := range found {
		bins = append(bins, bin)
		most = max(most, n)
	}
	if len(bins) == 0 {
		return p
	}
	slices.SortFunc(bins, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	points := make(plotter.XYs, len(bins))
	for i, bin := range bins {
		points[i] = plotter.XY{X: x.middle(bin[0], acrossBins), Y: y.middle(bin[1], upBins)}
	}
	p.Add(&plotter.Scatter{XYs: points, GlyphStyleFunc: func(i int) draw.GlyphStyle {
		share := math.Log1p(float64(found[bins[i]])) / math.Log1p(float64(most))
		return draw.GlyphStyle{Color: shade(0.85 * (1 - share)), Radius: 1.4, Shape: draw.BoxGlyph{}}
	}})
	x.set(&p.X) // adding data has widened the axes
	y.set(&p.Y)
	return p
}

// distributionOf plots the number of elements by error. Both axes are logarithmic.
func distributionOf(o compare.Output, kind errors, s *spread) *plot.Plot {
	x := logOf(s)
	p := newPlot(fmt.Sprintf("distribution of the %v error", kind), fmt.Sprintf("%v error", kind),
		"elements")
	note(&p.X, s)
	var bins [histogramBins + 1]int // the first bin is zero's
	for _, v := range kind.each(o) {
		if finite(v) {
			bins[1+x.bin(v, histogramBins)]++
		}
	}
	width := x.width() / histogramBins
	h := &plotter.Histogram{FillColor: first, LineStyle: draw.LineStyle{Color: white, Width: 0.4}}
	for i, n := range bins {
		if n > 0 {
			at := x.middle(i-1, histogramBins)
			h.Bins = append(h.Bins, plotter.HistogramBin{Min: at - width/2, Max: at + width/2,
				Weight: countAt(n)})
		}
	}
	p.Add(plotter.NewGrid())
	p.Add(h)
	x.set(&p.X)
	counts(&p.Y, slices.Max(bins[:]))
	return p
}

// note appends the number of omitted values to an axis's label.
func note(axis *plot.Axis, s *spread) {
	if odd := s.odd(); odd != "" {
		axis.Label.Text += " (" + odd + ")"
	}
}

func finite(v float64) bool { return v-v == 0 }
