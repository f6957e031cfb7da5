package decisions

import (
	"cmp"
	"math"
	"slices"
)

// matched pairs equal detections, whatever their boxes, and matches the others as COCO does.
func matched(actual, expected []Detection, iou float64) (pairs []boxPair) {
	type whole struct {
		box   Box
		score float64
		class int
	}
	equal := map[whole][]int{}
	for i, e := range expected {
		key := whole{e.Box, e.Score, e.Class}
		equal[key] = append(equal[key], i)
	}
	taken := make([]bool, len(expected))
	var left, right []Detection
	var leftAt, rightAt []int
	for i, a := range actual {
		key := whole{a.Box, a.Score, a.Class}
		if same := equal[key]; len(same) > 0 {
			equal[key], taken[same[0]] = same[1:], true
			pairs = append(pairs, boxPair{i, same[0], 1})
		} else {
			left, leftAt = append(left, a), append(leftAt, i)
		}
	}
	for i, e := range expected {
		if !taken[i] {
			right, rightAt = append(right, e), append(rightAt, i)
		}
	}
	for _, p := range matchBoxes(left, right, iou, len(left)) {
		pairs = append(pairs, boxPair{leftAt[p.Actual], rightAt[p.Expected], p.IoU})
	}
	return pairs
}

// boxPair is a matched pair of boxes, given by their indices.
type boxPair struct {
	Actual, Expected int
	IoU              float64
}

// matchBoxes matches the detections of one image exactly as pycocotools' COCOeval.evaluateImg does
// at one threshold, with the expected side as the truth and without crowds. Within each class, the
// actual detections are visited by descending score (ties in their original order). The number
// visited is limited by most. Each is matched with the unmatched expected box that it overlaps most
// (with ties, the later box), if their IoU is at least iou.
func matchBoxes(actual, expected []Detection, iou float64, most int) (pairs []boxPair) {
	truth := map[int][]int{} // of each class, in order
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
			if shared := d.Box.IoU(expected[k].Box); shared >= least {
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
