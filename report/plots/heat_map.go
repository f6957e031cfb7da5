package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// heatMap draws one kind of error at the elements' positions. If a tensor is larger than the
// picture, each point shows the maximum of several elements, so that a single bad element stays
// visible. A ring marks the worst element.
func heatMap(o compare.Output, kind errors) ([]byte, error) {
	var s spread
	for at, v := range kind.each(o) {
		s.take(at, v)
	}
	plane := layoutOf(o.Actual.Shape())
	c := cellsOf(plane, 1, 1)
	p := newPlot(heading(o, kind, &s), "", "")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(c.planeW), 0, float64(c.planeH)
	p.Title.Padding = 10
	plane.axes(p, c.planeW, c.planeH)
	sheet := newSheet(10, 8)
	area := draw.Crop(sheet.all, 6, -1.1*vg.Inch, 0.45*vg.Inch, -6)
	p.Draw(area)
	data := p.DataCanvas(area).Rectangle
	pixels := sheet.pixels(data)
	c = cellsOf(plane, pixels.Dx(), pixels.Dy())
	for at, v := range kind.each(o) {
		c.put(at, v)
	}
	scale := logOf(&s)
	sheet.fill(pixels, c.width, c.height, func(x, y int) color.RGBA {
		return scale.colour(c.value[y*c.width+x])
	})
	sheet.scale(scale, data)
	sheet.legend(&s)
	if s.n > 0 && s.worstValue != 0 {
		x, y := c.cell(s.worst)
		sheet.ring(vg.Point{
			X: data.Min.X + data.Size().X*vg.Length((float64(x)+0.5)/float64(c.width)),
			Y: data.Max.Y - data.Size().Y*vg.Length((float64(y)+0.5)/float64(c.height))})
	}
	return sheet.png()
}

// heading returns the picture's title, in two lines.
func heading(o compare.Output, kind errors, s *spread) string {
	text := fmt.Sprintf("%s: %v error\n%v%v", printable(o.Name, 70), kind, o.Actual.ElementType(),
		o.Actual.Shape())
	if s.n == 0 {
		return text + ", no elements"
	}
	text += fmt.Sprintf(", %d of %d elements differ", s.n-s.zeros, s.n)
	if s.worstValue != 0 {
		text += fmt.Sprintf(", worst %s at %s", figures.Short(s.worstValue),
			tensor.Shape(o.Actual.Shape().Index(s.worst)))
	}
	return text
}

// axes labels the axes of the plane. If the plane is a single image, the axes show indices.
func (l layout) axes(p *plot.Plot, width, height int) {
	none := plot.ConstantTicks(nil)
	p.X.Tick.Marker, p.Y.Tick.Marker = none, none
	switch {
	case l.images > 1:
		p.X.Label.Text = fmt.Sprintf("%d images of %d × %d, %d per row", l.images, l.rows,
			l.columns, l.across)
	case l.wrapped:
		p.X.Label.Text = fmt.Sprintf("one axis, split into rows of %d", l.columns)
	default:
		p.X.Label.Text, p.Y.Label.Text = "last axis", "axis before it"
		p.X.Tick.Marker = indices(width, func(at float64) float64 { return at })
		p.Y.Tick.Marker = indices(height, func(at float64) float64 { return float64(height) - at })
	}
}

// indices returns ticks in the middle of elements.
func indices(n int, place func(float64) float64) plot.Ticker {
	step := 1
	for i := 0; n/step > 10; i++ {
		step = []int{2, 5, 10}[i%3] * int(math.Pow10(i/3))
	}
	var ticks []plot.Tick
	for at := 0; at < n; at += step {
		ticks = append(ticks, plot.Tick{Value: place(float64(at) + 0.5), Label: strconv.Itoa(at)})
	}
	return plot.ConstantTicks(ticks)
}

// colour returns a cell's colour.
func (a logAxis) colour(v float64) color.RGBA {
	switch {
	case v != v:
		return notANum
	case v > math.MaxFloat64:
		return endless
	case v < 0:
		return white
	case v == 0:
		return equal
	}
	return shade(a.fraction(v))
}

// scale draws the colour bar to the right of the data.
func (s *sheet) scale(a logAxis, data vg.Rectangle) {
	a.zero = false
	p := newPlot("", "", "")
	p.HideX()
	p.X.Min, p.X.Max = 0, 1
	a.set(&p.Y)
	p.Y.Min, p.Y.Max = a.lo, a.hi
	left := data.Max.X + 12
	bar := draw.Crop(s.all, left, 0, 0, 0)
	bar.Min.Y, bar.Max.Y = data.Min.Y, data.Max.Y
	p.Y.Padding = 0
	p.Draw(bar)
	r := p.DataCanvas(bar).Rectangle
	r.Max.X = r.Min.X + 16
	s.fill(s.pixels(r), 1, 256, func(_, y int) color.RGBA { return shade(1 - float64(y)/255) })
}

// legend explains the special colours below the picture, and counts the elements that have them.
func (s *sheet) legend(of *spread) {
	at := vg.Point{X: 14, Y: 12}
	at = s.square(at, equal, fmt.Sprintf("0 (%d)", of.zeros))
	at = s.square(at, notANum, fmt.Sprintf("NaN (%d)", of.nans))
	at = s.square(at, endless, fmt.Sprintf("infinite (%d)", of.infinite))
	style := text(11, grey)
	s.all.FillText(style, at, "ring: the worst element; a cell shows its elements' largest error")
}

// ring draws a circle that is visible on every colour.
func (s *sheet) ring(at vg.Point) {
	for _, line := range []draw.LineStyle{{Color: black, Width: 3}, {Color: white, Width: 1}} {
		var circle vg.Path
		circle.Move(vg.Point{X: at.X + 7, Y: at.Y})
		circle.Arc(at, 7, 0, 2*math.Pi)
		circle.Close()
		s.all.SetLineStyle(line)
		s.all.Stroke(circle)
	}
}
