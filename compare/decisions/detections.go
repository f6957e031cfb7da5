package decisions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Detection is one box that a detector found in an image.
type Detection struct {
	Box   Box     `json:"box"`
	Score float64 `json:"score"`
	Class int     `json:"class"`
}

// DetectionsOf reads the detections of one image from a detector's outputs: n boxes of four
// numbers, n scores and n classes, with axes of length 1 before them. count, where it is 0 or more,
// says how many of them are meant; many detectors fill the rest up.
func DetectionsOf(boxes, scores, classes *tensor.Tensor, form BoxForm, count int) (
	[]Detection, error) {
	if boxes == nil || scores == nil || classes == nil {
		return nil, errors.New("decisions: detections: want boxes, scores and classes")
	}
	n := scores.Len()
	if boxes.Len() != 4*n || classes.Len() != n {
		return nil, fmt.Errorf("decisions: detections: %v boxes, %v scores and %v classes do not "+
			"describe the same boxes", boxes.Shape(), scores.Shape(), classes.Shape())
	}
	if count > n {
		return nil, fmt.Errorf("decisions: detections: %d are meant, and there are %d", count, n)
	}
	if count >= 0 {
		n = count
	}
	corners, values, kinds := boxes.Float64s(), scores.Float64s(), classes.Float64s()
	found := make([]Detection, n)
	for i := range found {
		found[i] = Detection{form.box(corners[4*i : 4*i+4]), values[i], int(kinds[i])}
		for _, v := range append(corners[4*i:4*i+4:4*i+4], values[i]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("decisions: detection %d is not finite: box %v, score %v", i,
					corners[4*i:4*i+4], values[i])
			}
		}
	}
	return found, nil
}

// DetectionRule is when two sets of detections agree.
type DetectionRule struct {
	IoU    float64 // how much two boxes must share to be one, above 0 up to 1
	Score  float64 // what counts as found: detections below are not looked at
	Margin float64 // how far from Score a lost or extra detection is excused
}

// DetectionsReport is what [Detections] found.
type DetectionsReport struct {
	Matched    int         `json:"matched"`
	Lost       []Detection `json:"lost"`  // expected, and nothing of their class is there
	Extra      []Detection `json:"extra"` // actual, and nothing of their class was expected
	Flips      []Flip      `json:"flips"` // the same box, of another class
	Excused    int         `json:"excused"`
	WorstIoU   float64     `json:"worst_iou"`   // of the matched; 1 where there are none
	WorstBox   float64     `json:"worst_box"`   // greatest difference of a corner
	WorstScore float64     `json:"worst_score"` // greatest difference of scores
}

// Pass reports whether every detection was matched or excused.
func (r DetectionsReport) Pass() bool {
	unexcused := func(f Flip) bool { return !f.Excused }
	return len(r.Lost)+len(r.Extra) == 0 && !slices.ContainsFunc(r.Flips, unexcused)
}

// Detections holds the boxes of one image to those of another run, in any order. As in COCO's
// evaluation the expected side is the truth: actual detections take their turn by descending
// score, and each takes the free expected box of its class that it shares most with, from IoU on.
//
// A detection without a partner is excused where its score is within Margin of Score: there a
// detector may decide either way. One that lies on a free box of another class is a flip.
func Detections(actual, expected []Detection, rule DetectionRule) (DetectionsReport, error) {
	if !(rule.IoU > 0 && rule.IoU <= 1) {
		return DetectionsReport{}, fmt.Errorf("decisions: detections: IoU %v: want more than 0, and at "+
			"most 1", rule.IoU)
	}
	if err := tolerance(rule.Margin); err != nil {
		return DetectionsReport{}, err
	}
	a, e := found(actual, rule.Score-rule.Margin), found(expected, rule.Score-rule.Margin)
	r := DetectionsReport{WorstIoU: 1}
	taken := make([]bool, len(e))
	var alone []Detection
	for _, d := range a {
		i, iou := partner(d, e, taken, rule.IoU, true)
		if i < 0 {
			alone = append(alone, d)
			continue
		}
		taken[i] = true
		r.Matched++
		r.WorstIoU = math.Min(r.WorstIoU, iou)
		r.WorstBox = math.Max(r.WorstBox, d.Box.distance(e[i].Box))
		r.WorstScore = math.Max(r.WorstScore, math.Abs(d.Score-e[i].Score))
	}
	for _, d := range alone {
		i, _ := partner(d, e, taken, rule.IoU, false)
		switch {
		case i >= 0:
			taken[i] = true
			margin := math.Max(e[i].Score, d.Score) - rule.Score
			r.flip(Flip{Row: i, Actual: d.Class, Expected: e[i].Class, Margin: margin}, rule.Margin)
		case d.Score <= rule.Score+rule.Margin:
			r.Excused++
		default:
			r.Extra = append(r.Extra, d)
		}
	}
	for i, d := range e {
		switch {
		case taken[i]:
		case d.Score <= rule.Score+rule.Margin:
			r.Excused++
		default:
			r.Lost = append(r.Lost, d)
		}
	}
	return r, nil
}

func (r *DetectionsReport) flip(f Flip, margin float64) {
	if f.Excused = f.Margin <= margin; f.Excused {
		r.Excused++
	}
	r.Flips = append(r.Flips, f)
}

// found is the detections from a score on, the surest first; equal ones keep their order.
func found(all []Detection, least float64) []Detection {
	kept := slices.DeleteFunc(slices.Clone(all), func(d Detection) bool { return d.Score < least })
	slices.SortStableFunc(kept, func(x, y Detection) int { return cmp.Compare(y.Score, x.Score) })
	return kept
}

// partner is the free box that d shares most with, from least on; −1 where there is none.
func partner(d Detection, among []Detection, taken []bool, least float64, sameClass bool) (
	best int, iou float64) {
	best = -1
	for i, other := range among {
		if taken[i] || sameClass && other.Class != d.Class {
			continue
		}
		if shared := d.Box.IoU(other.Box); shared >= least && (best < 0 || shared > iou) {
			best, iou = i, shared
		}
	}
	return best, iou
}
