package decisions

import "math"

// Box is a rectangle by its corners: left, top, right, bottom, in pixels or any other unit.
type Box [4]float64

// Area is width times height.
func (b Box) Area() float64 { return float64((b[2] - b[0]) * (b[3] - b[1])) }

// IoU is the area that two boxes share over the area that they cover together; 0 where they do not
// meet.
func (b Box) IoU(other Box) float64 { return b.overlap(other, false) }

// overlap is IoU, or for a crowd the share of b's own area: pycocotools' bbIou.
func (b Box) overlap(truth Box, crowd bool) float64 {
	w := math.Min(b[2], truth[2]) - math.Max(b[0], truth[0])
	h := math.Min(b[3], truth[3]) - math.Max(b[1], truth[1])
	if w <= 0 || h <= 0 {
		return 0
	}
	both := float64(w * h)
	if crowd {
		return both / b.Area()
	}
	return both / (b.Area() + truth.Area() - both)
}

// distance is the greatest difference between two boxes' corners.
func (b Box) distance(other Box) (greatest float64) {
	for i := range b {
		greatest = math.Max(greatest, math.Abs(b[i]-other[i]))
	}
	return greatest
}
