package decisions

import (
	"cmp"
	"math"
	"slices"
)

// Truth is one labelled object in an image.
type Truth struct {
	Box   Box
	Class int
	// Crowd says that Box encloses a group of objects. A detection inside the group counts as neither
	// right nor wrong.
	Crowd bool
}

// Labelled is one image: the objects in it, and the objects that a detector found.
type Labelled struct {
	Truth []Truth
	Found []Detection
}

// COCOSummary contains COCO's average precision: the precision, averaged over recalls and classes.
// AP is also averaged over the IoU thresholds 0.50, 0.55, … 0.95. AP50 and AP75 are for the single
// thresholds 0.50 and 0.75. Each number is between 0 and 1, or −1 if no image has an object.
type COCOSummary struct{ AP, AP50, AP75 float64 }

// cocoThresholds and cocoRecalls equal numpy.linspace(.5, .95, 10) and numpy.linspace(0, 1, 101).
var (
	cocoThresholds = linspace(0.5, 0.95, 10)
	cocoRecalls    = linspace(0, 1, 101)
)

func linspace(from, to float64, n int) []float64 {
	step := (to - from) / float64(n-1)
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(float64(i)*step) + from
	}
	values[n-1] = to
	return values
}

// COCO computes the mean average precision of a labelled set as pycocotools' COCOeval does for
// boxes of any size: detections are matched greedily by score within each image and class. At most
// 100 detections per class and image are used. Precision is sampled at 101 recalls.
func COCO(images []Labelled) COCOSummary {
	curves := evaluate(images).curves(nil)
	at := func(threshold int) (kept [][]float64) {
		for i := threshold; i < len(curves); i += len(cocoThresholds) {
			kept = append(kept, curves[i])
		}
		return kept
	}
	return COCOSummary{AP: known(curves), AP50: known(at(0)), AP75: known(at(5))}
}

// known returns the mean of all numbers in the rows. If the rows contain no number, the mean is
// unknown, and known returns −1, as pycocotools does.
func known(rows [][]float64) float64 {
	sum, n := 0.0, 0
	for _, row := range rows {
		for _, v := range row {
			sum += v
		}
		n += len(row)
	}
	if n == 0 {
		return -1
	}
	return sum / float64(n)
}

// judged says whether a detection is right or wrong at each of COCO's ten IoU thresholds. A
// detection that matches a crowd (one box around many objects) is neither.
type judged struct {
	image        int
	score        float64
	right, wrong [10]bool
}

// curveOf returns the precision at each of COCO's 101 recalls, for the IoU threshold with index t.
// The precision never increases with the recall.
func curveOf(all []judged, t, objects int) []float64 {
	recalls, precisions := make([]float64, len(all)), make([]float64, len(all))
	right, wrong := 0, 0
	for i, d := range all {
		right, wrong = right+one(d.right[t]), wrong+one(d.wrong[t])
		recalls[i] = float64(right) / float64(objects)
		precisions[i] = float64(right) / (float64(wrong+right) + epsilon)
	}
	for i := len(precisions) - 1; i > 0; i-- {
		precisions[i-1] = math.Max(precisions[i-1], precisions[i])
	}
	precision := make([]float64, len(cocoRecalls))
	for i, r := range cocoRecalls {
		at, _ := slices.BinarySearch(recalls, r)
		if at == len(recalls) {
			break
		}
		precision[i] = precisions[at]
	}
	return precision
}

// epsilon equals numpy.spacing(1). It avoids 0/0 if nothing was detected.
const epsilon = 0x1p-52

// judge matches the detections of one class in one image with the objects of that class. It also
// returns the number of objects that are not crowds.
func judge(image Labelled, class int) (all []judged, objects int) {
	found := slices.DeleteFunc(slices.Clone(image.Found), func(d Detection) bool {
		return d.Class != class
	})
	slices.SortStableFunc(found, func(x, y Detection) int { return cmp.Compare(y.Score, x.Score) })
	found = found[:min(100, len(found))]
	truth := slices.DeleteFunc(slices.Clone(image.Truth), func(t Truth) bool {
		return t.Class != class
	})
	for _, t := range truth {
		objects += one(!t.Crowd)
	}
	all = make([]judged, len(found))
	for t, threshold := range cocoThresholds {
		for i, d := range found {
			all[i].score, all[i].wrong[t] = d.Score, true
		}
		for _, p := range matchBoxes(found, truth, threshold, len(found), false) {
			d := &all[p.Actual]
			d.right[t], d.wrong[t] = !truth[p.Expected].Crowd, false
		}
	}
	return all, objects
}
