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
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// dots is how many pixels an inch of a picture has.
const dots = 96

// sheet is a picture being drawn.
type sheet struct {
	*vgimg.Canvas
	all vgdraw.Canvas
}

// newSheet is an empty picture of a size in inches.
func newSheet(width, height float64) *sheet {
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width)*vg.Inch, vg.Length(height)*vg.Inch),
		vgimg.UseDPI(dots), vgimg.UseBackgroundColor(white))
	return &sheet{c, vgdraw.New(c)}
}

// png is the picture as a file's content.
func (s *sheet) png() ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, s.Image()); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return b.Bytes(), nil
}

// pixels is where a part of the picture lies in its image.
func (s *sheet) pixels(r vg.Rectangle) image.Rectangle {
	at := func(l vg.Length) int { return int(math.Round(float64(l / vg.Inch * dots))) }
	height := s.Image().Bounds().Dy()
	return image.Rect(at(r.Min.X), height-at(r.Max.Y), at(r.Max.X), height-at(r.Min.Y))
}

// fill colours pixels one by one: each gets the colour of the cell that it lies in.
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

// text is the style of text of a size.
func text(size vg.Length, c color.Color) vgdraw.TextStyle {
	f := plot.DefaultFont
	f.Size = size
	return vgdraw.TextStyle{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// square draws a filled square with a label to the right, and gives the place behind it.
func (s *sheet) square(at vg.Point, c color.Color, label string) vg.Point {
	const side = 10
	s.all.FillPolygon(c, []vg.Point{at, {X: at.X + side, Y: at.Y}, {X: at.X + side, Y: at.Y + side},
		{X: at.X, Y: at.Y + side}})
	style := text(11, black)
	s.all.FillText(style, vg.Point{X: at.X + side + 4, Y: at.Y}, label)
	return vg.Point{X: at.X + side + 18 + style.Width(label), Y: at.Y}
}

// newPlot is a plot with a title and the names of its axes.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size, p.Title.Padding = 12, 5
	return p
}

// printable is a text of somebody else's in one line that a font can show.
func printable(name string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n++; n > most {
			return b.String() + "…"
		}
		if !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// odd says how many numbers a plot leaves out: NaN and infinities.
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
