package plots

import (
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// layout arranges the elements of a tensor of any rank on a plane. Each slice along the last two
// axes is an image, and the images lie in rows. A long one-dimensional tensor is split into several
// rows.
type layout struct {
	rows, columns int // rows and columns of one image
	images        int
	across        int  // images per row
	gap           int  // the distance between images, in elements
	wrapped       bool // whether a one-dimensional tensor is split into rows
}

// longestRow is the maximum length of a one-dimensional tensor that is drawn as one row.
const longestRow = 1024

// layoutOf returns the layout for a non-empty shape.
func layoutOf(shape tensor.Shape) layout {
	l := layout{rows: 1, columns: 1, images: 1, across: 1}
	var dims []int
	for _, d := range shape {
		if d != 1 {
			dims = append(dims, d)
		}
	}
	switch n := len(dims); {
	case n == 0:
		return l
	case n == 1:
		l.columns = dims[0]
		if dims[0] > longestRow {
			l.columns = int(math.Ceil(math.Sqrt(float64(dims[0]))))
			l.rows, l.wrapped = (dims[0]+l.columns-1)/l.columns, true
		}
		return l
	default:
		l.rows, l.columns = dims[n-2], dims[n-1]
		for _, d := range dims[:n-2] {
			l.images *= d
		}
	}
	if l.images == 1 {
		return l
	}
	wide := math.Sqrt(float64(l.images) * float64(l.rows) / float64(l.columns) * 4 / 3)
	l.across = min(max(int(math.Ceil(wide)), 1), l.images)
	// Keep gaps visible after the plane is reduced, unless images are smaller than a gap.
	down := (l.images + l.across - 1) / l.across
	l.gap = max(1, l.across*l.columns/256, down*l.rows/256)
	if min(l.rows, l.columns) < 2*l.gap {
		l.gap = 0
	}
	return l
}

// size returns the plane's width and height in elements.
func (l layout) size() (width, height int) {
	down := (l.images + l.across - 1) / l.across
	return l.across*(l.columns+l.gap) - l.gap, down*(l.rows+l.gap) - l.gap
}

// place returns the position of the element at a flat index.
func (l layout) place(flat int) (x, y int) {
	x, flat = flat%l.columns, flat/l.columns
	y, image := flat%l.rows, flat/l.rows
	return x + image%l.across*(l.columns+l.gap), y + image/l.across*(l.rows+l.gap)
}

// cells is a plane reduced to a picture's resolution. Each cell keeps the worst value of its
// elements.
type cells struct {
	layout
	width, height  int
	planeW, planeH int       // the size of the plane in elements
	value          []float64 // −1 for a cell without elements
}

// cellsOf returns cells without values for the plane, at most width × height of them.
func cellsOf(l layout, width, height int) *cells {
	c := &cells{layout: l}
	c.planeW, c.planeH = l.size()
	c.width, c.height = max(min(c.planeW, width), 1), max(min(c.planeH, height), 1)
	c.value = make([]float64, c.width*c.height)
	for i := range c.value {
		c.value[i] = -1
	}
	return c
}

func (c *cells) cell(flat int) (x, y int) {
	x, y = c.place(flat)
	return x * c.width / c.planeW, y * c.height / c.planeH
}

// put stores v in the cell of the element at index flat, if v is worse than the cell's value.
func (c *cells) put(flat int, v float64) {
	x, y := c.cell(flat)
	if at := &c.value[y*c.width+x]; figures.Worse(v, *at) {
		*at = v
	}
}
