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

// metrics draws two plots of an output, side by side: the absolute and the relative error against
// the magnitude of the reference.
func metrics(o compare.Output) ([]byte, error) {
	magnitudes := magnitudesOf(o.Expected)
	panels := [][]*plot.Plot{{}}
	for _, kind := range []errors{absolute, relative} {
		var s spread
		for at, v := range kind.each(o) {
			s.take(at, v)
		}
		panels[0] = append(panels[0], againstMagnitude(o, kind, &s, &magnitudes))
	}
	sheet := newSheet(10, 5)
	title := fmt.Sprintf("%s, %v%v", printable(o.Name, 90), o.Actual.ElementType(), o.Actual.Shape())
	sheet.all.FillText(text(14, black), vg.Point{X: 12, Y: 5*vg.Inch - 22}, title)
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: 24, PadLeft: 8, PadRight: 16, PadBottom: 8, PadTop: 34}
	for i, canvas := range plot.Align(panels, tiles, sheet.all)[0] {
		panels[0][i].Draw(canvas)
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

// The numbers of bins along the two axes of a plot of errors against magnitudes.
const acrossBins, upBins = 220, 150

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

// note appends the number of omitted values to an axis's label.
func note(axis *plot.Axis, s *spread) {
	if odd := s.odd(); odd != "" {
		axis.Label.Text += " (" + odd + ")"
	}
}

func finite(v float64) bool { return v-v == 0 }
