package decisions

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// MaskReport is how alike two segmentations are.
type MaskReport struct {
	Pixels    int     `json:"pixels"`
	Differing int     `json:"differing"`
	Excused   int     `json:"excused"` // differing pixels close to an expected boundary
	Agreement float64 `json:"agreement"`
	MeanIoU   float64 `json:"mean_iou"` // over the classes that either side has
}

// Mask compares two masks of classes, of height and width along the last two axes, pixel by pixel.
//
//	agreement = equal pixels / pixels       IoU of a class = pixels of both / pixels of either
//
// A differing pixel is excused where an expected pixel of another class lies at most boundary
// pixels away, by rows or columns or both: segmentations waver along edges. The types are integers
// or bool; an expected mask of a single class is an error, since it has no decision to flip.
func Mask(actual, expected *tensor.Tensor, boundary int) (MaskReport, error) {
	for _, side := range []struct {
		name string
		t    *tensor.Tensor
	}{{"actual", actual}, {"expected", expected}} {
		switch {
		case side.t == nil || !side.t.ElementType().Valid() || side.t.ElementType() == tensor.String ||
			side.t.ElementType().IsFloat():
			return MaskReport{}, fmt.Errorf("decisions: mask: %s: want integers or bools; take the "+
				"argmax of scores first", side.name)
		case len(side.t.Shape()) < 2 || side.t.Len() == 0:
			return MaskReport{}, fmt.Errorf("decisions: mask: %s: want height and width, got %v",
				side.name, side.t.Shape())
		}
	}
	if !actual.Shape().Equal(expected.Shape()) {
		return MaskReport{}, fmt.Errorf("decisions: mask: the shapes differ: actual %v, expected %v",
			actual.Shape(), expected.Shape())
	}
	if boundary < 0 {
		return MaskReport{}, fmt.Errorf("decisions: mask: a boundary of %d pixels; want 0 or more",
			boundary)
	}
	a, e := actual.Float64s(), expected.Float64s()
	if !slices.ContainsFunc(e, func(v float64) bool { return v != e[0] }) {
		return MaskReport{}, fmt.Errorf("decisions: mask: every expected pixel is of class %v, so the "+
			"comparison could not tell classes apart", e[0])
	}
	shape := expected.Shape()
	grid := plane{e, shape[len(shape)-2], shape[len(shape)-1]}
	r := MaskReport{Pixels: len(e)}
	both, either := map[float64]int{}, map[float64]int{}
	for i := range e {
		either[e[i]]++
		if a[i] == e[i] {
			both[e[i]]++
			continue
		}
		either[a[i]]++
		r.Differing++
		if boundary > 0 && grid.edge(i, boundary) {
			r.Excused++
		}
	}
	r.Agreement = 1 - float64(r.Differing)/float64(r.Pixels)
	classes := make([]float64, 0, len(either))
	for class := range either {
		classes = append(classes, class)
	}
	slices.Sort(classes)
	for _, class := range classes {
		r.MeanIoU += float64(both[class]) / float64(either[class]) / float64(len(classes))
	}
	return r, nil
}

// plane is the pixels of masks, one after the other.
type plane struct {
	values        []float64
	height, width int
}

// edge reports whether a pixel of another class lies within reach of pixel i, in the same mask.
func (p plane) edge(i, reach int) bool {
	first := i / (p.height * p.width) * p.height * p.width
	row, column := (i-first)/p.width, (i-first)%p.width
	reach = int(math.Min(float64(reach), float64(max(p.height, p.width))))
	for y := max(0, row-reach); y <= min(p.height-1, row+reach); y++ {
		for x := max(0, column-reach); x <= min(p.width-1, column+reach); x++ {
			if p.values[first+y*p.width+x] != p.values[i] {
				return true
			}
		}
	}
	return false
}
