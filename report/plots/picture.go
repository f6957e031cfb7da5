package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/modelparity/modelparity/internal/names"
)

// dots is the resolution in pixels per inch.
const dots = 96

// sheet is a picture that is being drawn.
type sheet struct {
	*vgimg.Canvas
	all vgdraw.Canvas
}

// newSheet returns an empty picture with a size in inches.
func newSheet(width, height float64) *sheet {
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width)*vg.Inch, vg.Length(height)*vg.Inch),
		vgimg.UseDPI(dots), vgimg.UseBackgroundColor(white))
	return &sheet{c, vgdraw.New(c)}
}

// png encodes the picture.
func (s *sheet) png() ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, s.Image()); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return b.Bytes(), nil
}

// pixels converts a rectangle of the picture to pixels.
func (s *sheet) pixels(r vg.Rectangle) image.Rectangle {
	at := func(l vg.Length) int { return int(math.Round(float64(l / vg.Inch * dots))) }
	height := s.Image().Bounds().Dy()
	return image.Rect(at(r.Min.X), height-at(r.Max.Y), at(r.Max.X), height-at(r.Min.Y))
}

// fill colours a rectangle pixel by pixel with the colours of width × height cells.
func (s *sheet) fill(r image.Rectangle, width, height int, colour func(x, y int) color.RGBA) {
	raw := image.NewRGBA(r)
	before := -1
	for py := range r.Dy() {
		row := raw.Pix[py*raw.Stride:][:raw.Stride]
		if y := py * height / r.Dy(); y != before {
			for px := range r.Dx() {
				raw.SetRGBA(r.Min.X+px, r.Min.Y+py, colour(px*width/r.Dx(), y))
			}
			before = y
		} else {
			copy(row, raw.Pix[(py-1)*raw.Stride:])
		}
	}
	draw.Draw(s.Image(), r, raw, r.Min, draw.Src)
}

func text(size vg.Length, c color.Color) vgdraw.TextStyle {
	f := plot.DefaultFont
	f.Size = size
	return vgdraw.TextStyle{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// square draws a filled square with a label and returns the position after it.
func (s *sheet) square(at vg.Point, c color.Color, label string) vg.Point {
	const side = 10
	s.all.FillPolygon(c, []vg.Point{at, {X: at.X + side, Y: at.Y}, {X: at.X + side, Y: at.Y + side},
		{X: at.X, Y: at.Y + side}})
	style := text(11, black)
	s.all.FillText(style, vg.Point{X: at.X + side + 4, Y: at.Y}, label)
	return vg.Point{X: at.X + side + 18 + style.Width(label), Y: at.Y}
}

// newPlot returns a plot with a title and axis labels.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size, p.Title.Padding = 12, 5
	return p
}

// printable escapes untrusted text, which becomes one line, and truncates it.
func printable(name string, most int) string {
	line := []rune(names.Line(name))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

// odd describes the values that a logarithmic axis cannot show: NaN and infinities.
func (s *spread) odd() string {
	var words []string
	if s.nans > 0 {
		words = append(words, fmt.Sprintf("%d NaN", s.nans))
	}
	if s.infinite > 0 {
		words = append(words, fmt.Sprintf("%d infinite", s.infinite))
	}
	if words == nil {
		return ""
	}
	return strings.Join(words, ", ") + " not shown"
}
