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

// matchBoxes matches the detections in one image with its objects, as pycocotools'
// COCOeval.evaluateImg does at one threshold. Within each class, it visits the given number of
// detections with the highest scores, by descending score (ties in their original order). It
// matches each detection with the unmatched object that it overlaps most (with ties, the later
// object), if their IoU is at least iou. If there is no such object, the detection can match a
// crowd: one box around many objects, which several detections may match. If same is true, equal
// boxes match even if they have no area.
func matchBoxes(found []Detection, truth []Truth, iou float64, most int, same bool) (
	pairs []boxPair) {
	byClass := map[int][]int{} // indices, with crowds last
	for _, crowd := range []bool{false, true} {
		for i, t := range truth {
			if t.Crowd == crowd {
				byClass[t.Class] = append(byClass[t.Class], i)
			}
		}
	}
	seen := map[int]int{}
	taken := make([]bool, len(truth))
	order := places(len(found))
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(found[j].Score, found[i].Score)
	})
	for _, i := range order {
		d := found[i]
		if seen[d.Class]++; seen[d.Class] > most {
			continue
		}
		best, least := -1, math.Min(iou, 1-1e-10)
		for _, k := range byClass[d.Class] {
			t := truth[k]
			if t.Crowd && best >= 0 && !truth[best].Crowd {
				break
			}
			if taken[k] && !t.Crowd {
				continue
			}
			shared := d.Box.overlap(t.Box, t.Crowd)
			if same && d.Box == t.Box {
				shared = 1
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
