package decisions

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// plane contains the pixels of masks, one mask after the other.
type plane struct {
	class         []int
	height, width int
	// margin returns how far the scores of a pixel must move before the pixel gets the given class.
	margin func(pixel, class int) float64
	// spread returns the largest margin of a pixel.
	spread func(pixel int) float64
}

func className(class int) string {
	if class <= isFlat {
		return topText(class)
	}
	return fmt.Sprintf("class %d", class)
}

// at returns the position of a pixel: row and column, preceded by the index of its mask if there
// are several masks.
func (p plane) at(pixel int) tensor.Shape {
	area := p.height * p.width
	place := tensor.Shape{pixel / area, pixel % area / p.width, pixel % p.width}
	if len(p.class) == area {
		return place[1:]
	}
	return place
}

// pixels returns the class of each pixel in an output.
func (r Mask) pixels(name string, t *tensor.Tensor) (plane, error) {
	elem := t.ElementType()
	switch {
	case !elem.Valid() || elem == tensor.String:
		return plane{}, fmt.Errorf("mask: %q contains %v; want numbers", name, elem)
	case t.Len() == 0:
		return plane{}, fmt.Errorf("mask: %q %v is empty, so there is nothing to compare",
			name, t.Shape())
	case r.From == FromClasses && elem.IsFloat():
		return plane{}, fmt.Errorf("mask: %q contains %v, not class ids: set From to FromScores and "+
			"an Axis, or to FromThreshold and a Threshold", name, elem)
	case r.From == FromScores:
		return r.fromScores(name, t)
	case len(t.Shape()) < 2:
		return plane{}, fmt.Errorf("mask: %q %v: want axes for height and width", name, t.Shape())
	}
	shape := t.Shape()
	p := plane{height: shape[len(shape)-2], width: shape[len(shape)-1]}
	what := fmt.Sprintf("mask: %q", name)
	if r.From == FromClasses {
		p.spread = func(int) float64 { return inf }
		p.margin = func(int, int) float64 { return inf }
		var err error
		if p.class, err = integers(what, t); err == nil && slices.Min(p.class) <= isFlat {
			err = fmt.Errorf("%s: class id %d: want at least %d", what, slices.Min(p.class), isFlat+1)
		}
		return p, err
	}
	values, err := numbers(what, t)
	p.class = make([]int, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			p.class[i] = hasNaN
		} else if v > r.Threshold {
			p.class[i] = 1
		}
	}
	p.spread = func(pixel int) float64 { return gap(values[pixel], r.Threshold) }
	p.margin = func(pixel, _ int) float64 { return p.spread(pixel) }
	return p, err
}

// fromScores assigns to each pixel the class with the highest score along the axis.
func (r Mask) fromScores(name string, t *tensor.Tensor) (plane, error) {
	shape, axis := t.Shape(), r.Axis
	if axis < 0 {
		axis += len(shape)
	}
	switch {
	case axis < 0 || axis >= len(shape):
		return plane{}, fmt.Errorf("mask: %q %v has no axis %d", name, shape, r.Axis)
	case len(shape) < 3:
		return plane{}, fmt.Errorf("mask: %q %v: want axes for height and width besides the class axis",
			name, shape)
	case shape[axis] < 2:
		return plane{}, fmt.Errorf("mask: %q %v has only one class, which always has the highest "+
			"score: use FromThreshold with a Threshold", name, shape)
	}
	values, err := numbers(fmt.Sprintf("mask: %q", name), t)
	if err != nil {
		return plane{}, err
	}
	classes := shape[axis]
	inner, _ := shape[axis+1:].Elements()
	at := func(pixel, class int) float64 {
		return values[(pixel/inner*classes+class)*inner+pixel%inner]
	}
	rest := append(slices.Clone(shape)[:axis], shape[axis+1:]...)
	p := plane{class: make([]int, len(values)/classes), height: rest[len(rest)-2],
		width: rest[len(rest)-1]}
	spreads, scores := make([]float64, len(p.class)), make([]float64, classes)
	for i := range p.class {
		for c := range classes {
			scores[c] = at(i, c)
		}
		p.class[i], spreads[i] = topIndex(scores)
	}
	p.spread = func(pixel int) float64 { return spreads[pixel] }
	p.margin = func(pixel, class int) float64 {
		if p.class[pixel] == isFlat || class == isFlat {
			return spreads[pixel]
		}
		return gap(at(pixel, p.class[pixel]), at(pixel, class))
	}
	return p, nil
}

// distances returns each pixel's distance to the nearest pixel of a different class in the same
// mask, or 0 if there is none. The distance is a number of steps, each to one of the eight
// neighbours. A shortest path stays in the pixel's own class until its last step, so the search
// never continues through pixels of a different class.
func (p plane) distances() []int {
	far := make([]int, len(p.class))
	var queue []int
	for i := range p.class {
		for n := range p.neighbours(i) {
			if p.class[n] != p.class[i] {
				far[i] = 1
				queue = append(queue, i)
				break
			}
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for n := range p.neighbours(i) {
			if far[n] == 0 && p.class[n] == p.class[i] {
				far[n] = far[i] + 1
				queue = append(queue, n)
			}
		}
	}
	return far
}

// neighbours iterates over the pixels that touch pixel i in the same mask.
func (p plane) neighbours(i int) func(yield func(int) bool) {
	area := p.height * p.width
	first := i / area * area
	row, column := (i-first)/p.width, (i-first)%p.width
	return func(yield func(int) bool) {
		for y := max(0, row-1); y <= min(p.height-1, row+1); y++ {
			for x := max(0, column-1); x <= min(p.width-1, column+1); x++ {
				if n := first + y*p.width + x; n != i && !yield(n) {
					return
				}
			}
		}
	}
}
