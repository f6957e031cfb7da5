package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate"
)

// Layers draws the error along a model's layers, from the result of [locate.Divergence]. It draws
// the norm-wise relative error ‖actual − expected‖₂ / ‖expected‖₂ of every tensor, in graph order.
// If nodes were also run alone, a second series shows the errors of those runs. Layers marks the
// first tensor out of tolerance, and the node that is at fault when run alone. It returns a PNG.
func Layers(f *locate.Finding) ([]byte, error) {
	var s spread
	var used, alone []layer
	for i := range f.Tensors {
		point := &f.Tensors[i]
		if point.Verdict == "" {
			continue
		}
		used = append(used, layer{float64(i), float64(point.Error), point.Verdict == compare.Fail})
		s.take(i, float64(point.Error))
		if point.Own != nil {
			alone = append(alone, layer{float64(i), float64(point.Own.Error),
				point.Own.Verdict == compare.Fail})
			s.take(i, float64(point.Own.Error))
		}
	}
	y := logOf(&s)
	p := newPlot(printable(f.Cause, 150)+"\n"+printable(f.Actual, 70)+" against "+
		printable(f.Expected, 70), "tensors in graph order", "‖actual − expected‖ / ‖expected‖")
	p.Add(plotter.NewGrid())
	for _, series := range []struct {
		name  string
		of    []layer
		style color.RGBA
		glyph draw.GlyphDrawer
	}{
		{"in the running model", used, first, draw.CircleGlyph{}},
		{"each node run alone", alone, second, draw.PyramidGlyph{}},
	} {
		addLayers(p, y, series.name, series.of, draw.GlyphStyle{Color: series.style, Radius: 2,
			Shape: series.glyph})
	}
	for _, mark := range []struct {
		name  string
		point *locate.Point
		style color.RGBA
	}{{"first out of tolerance", f.First, failed}, {"out of tolerance when run alone", f.Isolated,
		second}} {
		if mark.point == nil {
			continue
		}
		for i := range f.Tensors {
			if f.Tensors[i].Tensor == mark.point.Tensor {
				line := &plotter.Line{XYs: plotter.XYs{{X: float64(i), Y: y.lo}, {X: float64(i), Y: y.hi}},
					LineStyle: draw.LineStyle{Color: mark.style, Width: 1.2, Dashes: []vg.Length{2, 2}}}
				p.Add(line)
				p.Legend.Add(mark.name+": "+printable(mark.point.Tensor, 60), line)
			}
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.X.Min, p.X.Max = -1, float64(max(len(f.Tensors), 1))
	y.set(&p.Y)
	p.Y.Max += 0.25 * y.width() // room for the legend and non-finite values
	return encode(p, 12, 6.5)
}

type layer struct {
	at, error float64
	fails     bool
}

// addLayers adds a series to the plot. Non-finite values are drawn above the scale in their own
// colour.
func addLayers(p *plot.Plot, y logAxis, name string, layers []layer, style draw.GlyphStyle) {
	if len(layers) == 0 {
		return
	}
	points := make(plotter.XYs, len(layers))
	for i, l := range layers {
		points[i] = plotter.XY{X: l.at, Y: y.hi + 0.08*y.width()}
		if finite(l.error) {
			points[i].Y = y.at(l.error)
		}
	}
	scatter := &plotter.Scatter{XYs: points, GlyphStyle: style}
	scatter.GlyphStyleFunc = func(i int) draw.GlyphStyle {
		g := style
		switch l := layers[i]; {
		case l.error != l.error:
			g.Color, g.Radius = notANum, 3.5
		case l.error > math.MaxFloat64:
			g.Color, g.Radius = endless, 3.5
		case l.fails:
			g.Color, g.Radius = failed, 3
		}
		return g
	}
	p.Add(scatter)
	p.Legend.Add(name, scatter)
}
