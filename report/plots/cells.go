package plots

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// layout says where the elements of a tensor of any rank lie on a plane: the last two axes are an
// image, and the images of the leading axes lie in rows. A long list is wrapped.
type layout struct {
	rows, columns int // of one image
	images        int
	across        int // images in a row of them
	gap           int // between images, in elements
	wrapped       bool
}

// longest is how long a list may be before it is wrapped.
const longest = 1024

// layoutOf is the layout of a shape with elements.
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
		if dims[0] > longest {
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
	// A gap stays visible where the plane is reduced, unless images are smaller than that.
	down := (l.images + l.across - 1) / l.across
	l.gap = max(1, l.across*l.columns/256, down*l.rows/256)
	if min(l.rows, l.columns) < 2*l.gap {
		l.gap = 0
	}
	return l
}

// size is the width and the height of the plane in elements.
func (l layout) size() (width, height int) {
	down := (l.images + l.across - 1) / l.across
	return l.across*(l.columns+l.gap) - l.gap, down*(l.rows+l.gap) - l.gap
}

// place is where on the plane the element at a flat index lies.
func (l layout) place(flat int) (x, y int) {
	x, flat = flat%l.columns, flat/l.columns
	y, image := flat%l.rows, flat/l.rows
	return x + image%l.across*(l.columns+l.gap), y + image/l.across*(l.rows+l.gap)
}

// cells are a plane, reduced to what a picture has room for: each cell is the worst of its
// elements.
type cells struct {
	layout
	width, height  int
	planeW, planeH int
	value          []float64 // −1 where no element lies
	oneByOne       bool
}

// cellsOf is a plane in at most as many cells, before any element is put on it.
func cellsOf(l layout, width, height int) *cells {
	c := &cells{layout: l}
	c.planeW, c.planeH = l.size()
	c.width, c.height = max(min(c.planeW, width), 1), max(min(c.planeH, height), 1)
	c.oneByOne = c.width == c.planeW && c.height == c.planeH
	c.value = make([]float64, c.width*c.height)
	for i := range c.value {
		c.value[i] = -1
	}
	return c
}

// cell is the cell that an element falls into.
func (c *cells) cell(flat int) (x, y int) {
	x, y = c.place(flat)
	return x * c.width / c.planeW, y * c.height / c.planeH
}

// put keeps the worst of a cell.
func (c *cells) put(flat int, v float64) {
	x, y := c.cell(flat)
	if at := &c.value[y*c.width+x]; worse(v, *at) {
		*at = v
	}
}
