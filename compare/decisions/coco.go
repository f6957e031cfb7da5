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
	// Area is the area of the object's outline; 0 means the area of Box.
	Area float64
	// Crowd says that Box encloses a group of objects. A detection inside the group counts as neither
	// right nor wrong.
	Crowd bool
}

// Labelled is one image: the objects in it, and the objects that a detector found.
type Labelled struct {
	Truth []Truth
	Found []Detection
}

// COCOSummary holds COCO's twelve numbers. Each is between 0 and 1, or −1 if no image has an object
// in the number's range of sizes. AP is the precision, averaged over recalls and classes; AR is the
// greatest recall, averaged over classes. Both are also averaged over the IoU thresholds 0.50,
// 0.55, … 0.95, unless the name contains a threshold.
type COCOSummary struct {
	AP, AP50, AP75, APSmall, APMedium, APLarge   float64
	AR1, AR10, AR100, ARSmall, ARMedium, ARLarge float64
}

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

// span is a range of areas.
type span struct{ least, most float64 }

// COCO's ranges of areas: all, below 32², from 32² to 96², and above.
var (
	every  = span{0, 1e10}
	small  = span{0, 32 * 32}
	medium = span{32 * 32, 96 * 96}
	large  = span{96 * 96, 1e10}
)

func (s span) without(area float64) bool { return area < s.least || area > s.most }

// COCO computes the mean average precision of a labelled set, exactly as pycocotools' COCOeval does
// for boxes: detections are matched greedily by score within each image and class, with at most 100
// detections of a class per image and 101 recalls.
func COCO(images []Labelled) COCOSummary {
	curves := func(area span, most int) (precision, recall [][]float64) {
		return evaluate(images, area, most).curves(nil)
	}
	p100, r100 := curves(every, 100)
	_, r1 := curves(every, 1)
	_, r10 := curves(every, 10)
	pSmall, rSmall := curves(small, 100)
	pMedium, rMedium := curves(medium, 100)
	pLarge, rLarge := curves(large, 100)
	at := func(rows [][]float64, threshold int) [][]float64 {
		var kept [][]float64
		for i := threshold; i < len(rows); i += len(cocoThresholds) {
			kept = append(kept, rows[i])
		}
		return kept
	}
	return COCOSummary{
		AP: known(p100), AP50: known(at(p100, 0)), AP75: known(at(p100, 5)),
		APSmall: known(pSmall), APMedium: known(pMedium), APLarge: known(pLarge),
		AR1: known(r1), AR10: known(r10), AR100: known(r100),
		ARSmall: known(rSmall), ARMedium: known(rMedium), ARLarge: known(rLarge),
	}
}

// known returns the mean of the numbers, or −1 if there are none.
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

// judged records, for one detection and each threshold, whether the detection is matched and
// whether it is ignored.
type judged struct {
	image            int
	score            float64
	matched, ignored [10]bool
}

// curveOf returns the precision at each recall, and the highest recall reached, for the threshold
// with index t. The precision never increases with the recall.
func curveOf(all []judged, t, objects int) (precision []float64, most float64) {
	var recalls, precisions []float64
	right, wrong := 0.0, 0.0
	for _, d := range all {
		if d.matched[t] && !d.ignored[t] {
			right++
		} else if !d.matched[t] && !d.ignored[t] {
			wrong++
		}
		recalls = append(recalls, right/float64(objects))
		precisions = append(precisions, right/(wrong+right+epsilon))
	}
	for i := len(precisions) - 1; i > 0; i-- {
		precisions[i-1] = math.Max(precisions[i-1], precisions[i])
	}
	precision = make([]float64, len(cocoRecalls))
	for i, r := range cocoRecalls {
		at, _ := slices.BinarySearch(recalls, r)
		if at == len(recalls) {
			break
		}
		precision[i] = precisions[at]
	}
	if len(recalls) > 0 {
		most = recalls[len(recalls)-1]
	}
	return precision, most
}

// epsilon equals numpy.spacing(1). It avoids 0/0 if nothing was detected.
const epsilon = 0x1p-52

// judge matches the detections of one class in one image, and returns the number of objects that
// are not ignored.
func judge(image Labelled, class int, area span, most int) (all []judged, objects int) {
	truth, ignored := truthOf(image.Truth, class, area)
	for _, ignore := range ignored {
		if !ignore {
			objects++
		}
	}
	found := slices.DeleteFunc(slices.Clone(image.Found), func(d Detection) bool {
		return d.Class != class
	})
	slices.SortStableFunc(found, func(x, y Detection) int { return cmp.Compare(y.Score, x.Score) })
	found = found[:min(most, len(found))]
	all = make([]judged, len(found))
	for t, threshold := range cocoThresholds {
		taken := make([]bool, len(truth))
		for i, d := range found {
			all[i].score = d.Score
			m := match(d, truth, ignored, taken, math.Min(threshold, 1-1e-10))
			if m >= 0 {
				taken[m] = true
				all[i].matched[t], all[i].ignored[t] = true, ignored[m]
			} else if area.without(d.Box.Area()) {
				all[i].ignored[t] = true
			}
		}
	}
	return all, objects
}

// truthOf returns the objects of a class, with the ignored objects last.
func truthOf(all []Truth, class int, area span) (truth []Truth, ignored []bool) {
	var last []Truth
	for _, t := range all {
		if t.Class != class {
			continue
		}
		size := t.Area
		if size == 0 {
			size = t.Box.Area()
		}
		if t.Crowd || area.without(size) {
			last = append(last, t)
		} else {
			truth = append(truth, t)
		}
	}
	ignored = make([]bool, len(truth)+len(last))
	for i := len(truth); i < len(ignored); i++ {
		ignored[i] = true
	}
	return append(truth, last...), ignored
}

// match returns the index of the object that overlaps the detection most, or −1 if none overlaps it
// enough. With ties it returns the later object. It returns an ignored object only if no other
// object matches.
func match(d Detection, truth []Truth, ignored, taken []bool, least float64) int {
	best := -1
	for i, t := range truth {
		if taken[i] && !t.Crowd {
			continue
		}
		if best >= 0 && !ignored[best] && ignored[i] {
			break
		}
		if iou := d.Box.overlap(t.Box, t.Crowd); iou >= least {
			least, best = iou, i
		}
	}
	return best
}
