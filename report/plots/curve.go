package plots

import (
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/modelparity/modelparity/precision"
)

// Curve draws a model's accuracy against the percentage of quantizers removed, worst first.
// Accuracy is the signal-to-noise ratio of the outputs in dB. Passing and failing points have
// different colours. The point without any quantizers is not drawn, because its error is zero and
// the ratio infinite. Curve returns a PNG.
func Curve(q *precision.Quantization) ([]byte, error) {
	p := newPlot(fmt.Sprintf("%s: %d of %d quantizers to remove", printable(q.Model, 60), q.Remove,
		len(q.Quantizers)), "quantizers removed (%), worst first", "SNR of the outputs, dB")
	p.Add(plotter.NewGrid())
	var line plotter.XYs
	points := map[bool]plotter.XYs{}
	for _, at := range q.Curve {
		if at.Removed == len(q.Quantizers) {
			continue
		}
		xy := plotter.XY{X: at.Percent, Y: at.SNR}
		line = append(line, xy)
		points[at.Passes] = append(points[at.Passes], xy)
	}
	drawn, err := plotter.NewLine(line)
	if err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	drawn.Color = first
	p.Add(drawn)
	for _, passes := range []bool{true, false} {
		if len(points[passes]) == 0 {
			continue
		}
		name, colour := "passes", first
		if !passes {
			name, colour = "fails", failed
		}
		scatter := &plotter.Scatter{XYs: points[passes],
			GlyphStyle: draw.GlyphStyle{Color: colour, Radius: 3, Shape: draw.CircleGlyph{}}}
		p.Add(scatter)
		p.Legend.Add(name, scatter)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.X.Min, p.X.Max = 0, 100
	return encode(p, 10, 6)
}
