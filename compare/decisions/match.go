package decisions

import (
	"cmp"
	"math"
	"slices"
)

// boxPair is a matched pair of boxes, given by their indices.
type boxPair struct {
	Actual, Expected int
	IoU              float64
}

// matchBoxes matches the detections of one image as pycocotools' COCOeval.evaluateImg does at one
// threshold, without crowds and with the expected side as the truth. Unlike in COCOeval, equal
// boxes match even if they have no area. Within each class, the actual detections are visited by
// descending score (ties in their original order). The number visited is limited by most. Each is
// matched with the unmatched expected box that it overlaps most (with ties, the later box), if
// their IoU is at least iou.
func matchBoxes(actual, expected []Detection, iou float64, most int) (pairs []boxPair) {
	truth := map[int][]int{} // indices by class, in order
	for i, e := range expected {
		truth[e.Class] = append(truth[e.Class], i)
	}
	seen := map[int]int{}
	taken := make([]bool, len(expected))
	order := places(len(actual))
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(actual[j].Score, actual[i].Score)
	})
	for _, i := range order {
		d := actual[i]
		if seen[d.Class]++; seen[d.Class] > most {
			continue
		}
		best, least := -1, math.Min(iou, 1-1e-10)
		for _, k := range truth[d.Class] {
			if taken[k] {
				continue
			}
			shared := d.Box.IoU(expected[k].Box)
			if d.Box == expected[k].Box {
				shared = 1 // even if it has no area
			}
			if shared >= least {
				best, least = k, shared
			}
		}
		if best >= 0 {
			taken[best] = true
			pairs = append(pairs, boxPair{i, best, least})
		}
	}
	return pairs
}
