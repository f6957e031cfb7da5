package decisions

import "math"

// Box is a rectangle given by its left, top, right and bottom edges, in pixels or any other unit.
type Box [4]float64

// Area returns width times height.
func (b Box) Area() float64 { return float64((b[2] - b[0]) * (b[3] - b[1])) }

// IoU returns the area of the intersection of two boxes, divided by the area of their union; 0 if
// they do not intersect.
func (b Box) IoU(other Box) float64 { return b.overlap(other, false) }

// overlap returns the IoU of b and truth. If truth is a crowd (one box around many objects),
// overlap returns the fraction of b's area that lies within truth instead, as pycocotools' bbIou
// does.
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

// distance returns the largest difference between corresponding coordinates of two boxes.
func (b Box) distance(other Box) (greatest float64) {
	for i := range b {
		greatest = math.Max(greatest, math.Abs(b[i]-other[i]))
	}
	return greatest
}
