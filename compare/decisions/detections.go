package decisions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Detections compares the boxes that a detector finds in each image, in any order. The expected
// side serves as ground truth, and boxes are matched as in COCO's evaluation (pycocotools'
// COCOeval): within each class, the actual boxes are visited in descending order of score. Each
// actual box is matched with the unmatched expected box that it overlaps most, if their IoU is at
// least the field IoU. Equal boxes have an IoU of 1, even without an area.
//
// A decision says whether there is an object. Each expected detection with a score of at least
// Score is a decision. So is each actual detection with such a score, if it matches no expected
// detection. On each side, only the MaxDetections highest scores in each class of an image count. A
// score that ties with the lowest of them counts too. A decision flips if
//
//   - no box matches the detection, and no unmatched box of a different class overlaps it: the
//     margin of the flip is the detection's score minus Score;
//   - two boxes match, but only one of them has a score of at least Score: the margin is the
//     distance of the expected score from Score;
//   - no box matches the detection, but an unmatched box of a different class overlaps it. If the
//     layout has a score for every class, the expected box has a score for its own class and a
//     score for the actual box's class; the margin is the distance between these two scores.
//     Otherwise the margin is the larger of the two boxes' scores, minus Score.
//
// A detection with a score below Score can still match a box of the other side, if its score is at
// least Score minus the field Margin.
type Detections struct {
	Layout        Layout
	Score         float64 // the lowest score of a detected object
	IoU           float64 // the smallest overlap of matched boxes, above 0 up to 1; 0 means 0.5
	MaxDetections int     // per class and image of each side; 0 means 100, as in COCO
	Margin        float64 // flips with a margin up to this score difference are excused
	ScoreChange   float64 // the most by which the score of a matched box may change; 0 sets no limit
	BoxChange     float64 // the most by which a corner of a matched box may move; 0 sets no limit
	Flips         float64 // the share of decisions that may flip beyond the margin
}

// text returns the rule in words, such as "detections above 0.25 at IoU 0.5, margin 0.02".
func (r Detections) text() string {
	text := "detections above " + figures.Exact(r.Score) + " at IoU " + figures.Exact(r.iou())
	if r.MaxDetections > 0 {
		text += fmt.Sprintf(", at most %d per class", r.MaxDetections)
	}
	if r.ScoreChange > 0 {
		text += ", scores within " + figures.Exact(r.ScoreChange)
	}
	if r.BoxChange > 0 {
		text += ", corners within " + figures.Exact(r.BoxChange)
	}
	return text + allowances(r.Margin, r.Flips, "detections")
}

func (r Detections) iou() float64 { return cmp.Or(r.IoU, 0.5) }
func (r Detections) most() int    { return cmp.Or(r.MaxDetections, 100) }

func (r Detections) validate() error {
	switch {
	case !(r.iou() > 0 && r.iou() <= 1):
		return fmt.Errorf("detections: IoU is %v: want more than 0 and at most 1", r.IoU)
	case math.IsNaN(r.Score) || math.IsInf(r.Score, 0):
		return fmt.Errorf("detections: Score is %v: want a finite number",
			r.Score)
	case r.MaxDetections < 0:
		return fmt.Errorf("detections: MaxDetections is %d: want 1 or more", r.MaxDetections)
	}
	return errors.Join(r.Layout.validate(), margin(r.Margin), margin(r.ScoreChange),
		margin(r.BoxChange), share("flips", r.Flips))
}

func (r Detections) judge(actual, expected []*tensor.Set, f *Findings) error {
	f.Outputs = r.Layout.outputs()
	f.Unit, f.Allowed, f.several = "detections", r.Flips, len(expected) > 1
	f.idle = "a box cannot fail the rule if it has no area, or if its score is within the " +
		"margin of " + figures.Exact(r.Score)
	m := moved{iou: 1}
	shares := make([]share10, 0, len(expected))
	for i := range expected {
		e, err := r.Layout.images(expected[i], r.Score-r.Margin)
		if err != nil {
			return fmt.Errorf("the expected run: %w", err)
		}
		a, err := r.Layout.images(actual[i], r.Score-r.Margin)
		if err != nil {
			return mismatch("the actual run: " + err.Error())
		}
		if r.Layout.byAxis() && len(a) != len(e) {
			return mismatch(fmt.Sprintf("%d images, expected %d", len(a), len(e)))
		}
		for image := range max(len(a), len(e)) {
			left, right := imageOf(a, image), imageOf(e, image)
			r.image(left, right, f.in(i, fmt.Sprintf("image %d", image)), &m, f)
			shares = append(shares, r.shares(left, right))
		}
	}
	if f.Decisions == 0 {
		f.idle = "neither run found anything with a score of at least " + figures.Exact(r.Score)
	}
	r.measure(m, shares, f)
	return nil
}

// byAxis reports whether images lie along an axis, so that their number is known even if some have
// no detections.
func (l Layout) byAxis() bool {
	c, _ := l.columns() // validate has checked them
	return l.Packed == "" || c.image < 0
}

func imageOf(images [][]Detection, i int) []Detection {
	if i < len(images) {
		return images[i]
	}
	return nil
}

// moved collects how far matched boxes differ, and how many boxes have no match.
type moved struct {
	matched, expected       int
	iou, corner, score      float64
	classFlips, lost, extra int
}

// image compares the detections of one image and adds the results to the totals m and the findings
// f.
func (r Detections) image(actual, expected []Detection, where string, m *moved, f *Findings) {
	bestA := r.best(actual)
	expected, bestE := slices.Clone(expected), r.best(expected)
	slices.Reverse(expected) // the later of equal boxes matches, so it gets the greater score
	slices.Reverse(bestE)
	takenA, takenE := make([]bool, len(actual)), make([]bool, len(expected))
	for _, p := range matchBoxes(actual, truthOf(expected), r.iou(), len(actual), true) {
		a, e := actual[p.Actual], expected[p.Expected]
		takenA[p.Actual], takenE[p.Expected] = true, true
		if !bestA[p.Actual] && !bestE[p.Expected] {
			continue
		}
		f.decide(1, r.decisive(e))
		m.matched++
		m.iou = math.Min(m.iou, p.IoU)
		m.corner = math.Max(m.corner, a.Box.distance(e.Box))
		m.score = math.Max(m.score, math.Abs(a.Score-e.Score))
		if (a.Score < r.Score) != (e.Score < r.Score) {
			by := math.Abs(e.Score - r.Score)
			f.flip(Flip{where, a.String(), e.String(), by, by <= r.Margin})
		}
	}
	for i, a := range actual {
		if takenA[i] || a.Score >= r.Score && !bestA[i] {
			continue
		}
		k := inPlace(a, expected, takenE, r.iou())
		switch {
		case k >= 0 && math.Max(a.Score, expected[k].Score) >= r.Score:
			takenE[k] = true
			e := expected[k]
			by := math.Max(a.Score, e.Score) - r.Score
			if len(e.Scores) > a.Class {
				by = gap(e.Scores[e.Class], e.Scores[a.Class])
			}
			f.decide(1, r.decisive(e))
			m.classFlips++
			f.flip(Flip{where, a.String(), e.String(), by, by <= r.Margin})
		case a.Score >= r.Score:
			f.decide(1, 0)
			m.extra++
			f.flip(Flip{where, a.String(), "nothing", a.Score - r.Score, a.Score-r.Score <= r.Margin})
		}
	}
	for i, e := range expected {
		if bestE[i] {
			m.expected++
			if !takenE[i] {
				f.decide(1, r.decisive(e))
				m.lost++
				f.flip(Flip{where, "nothing", e.String(), e.Score - r.Score, e.Score-r.Score <= r.Margin})
			}
		}
	}
}

// decisive returns 1 if a run whose outputs are all zero would break the rule at e. It returns 0 if
// the score of e exceeds Score by at most Margin, because the rule then excuses the loss of e. It
// also returns 0 if the box of e has no area, because zeros can describe the same box.
func (r Detections) decisive(e Detection) int {
	return one(e.Score-r.Score > r.Margin && e.Box.Area() > 0)
}

// best marks the detections that count: in each class, the MaxDetections highest scores of at least
// Score, and all scores that tie with the lowest of these. The detections must be sorted.
func (r Detections) best(all []Detection) []bool {
	best, seen, last := make([]bool, len(all)), map[int]int{}, map[int]float64{}
	for i, d := range all {
		if d.Score < r.Score || seen[d.Class] >= r.most() && d.Score != last[d.Class] {
			continue
		}
		best[i], last[d.Class] = true, d.Score
		seen[d.Class]++
	}
	return best
}

// String returns text such as "class 3 at 0.87 [10 20 30 40]".
func (d Detection) String() string {
	return fmt.Sprintf("class %d at %s [%.4g %.4g %.4g %.4g]", d.Class, figures.Short(d.Score),
		d.Box[0], d.Box[1], d.Box[2], d.Box[3])
}

// inPlace returns the index of the unmatched box of a different class that d overlaps most. It
// returns −1 if no such box reaches the smallest permitted IoU.
func inPlace(d Detection, among []Detection, taken []bool, least float64) int {
	best := -1
	for i, other := range among {
		if taken[i] || other.Class == d.Class {
			continue
		}
		if shared := d.Box.IoU(other.Box); shared >= least {
			least, best = shared, i
		}
	}
	return best
}

// measure adds to the findings the totals in m, and the share of boxes that are matched at each of
// COCO's IoU thresholds. The parameter all has one entry for each image.
func (r Detections) measure(m moved, all []share10, f *Findings) {
	f.tell("lost", float64(m.lost))
	f.tell("extra", float64(m.extra))
	f.tell("class flips", float64(m.classFlips))
	if m.expected > 0 {
		var sum share10
		for _, s := range all {
			for t := range s {
				sum[t] += s[t]
			}
		}
		mean := 0.
		text := "share of boxes matched at IoU 0.50:0.05:0.95:"
		for t := range sum {
			sum[t] /= float64(m.expected)
			mean += sum[t] / float64(len(sum))
			text += " " + fmt.Sprintf("%.3g", sum[t])
		}
		f.tell("mean share of boxes matched at IoU 0.50:0.05:0.95", mean)
		f.Notes = append(f.Notes, text)
	}
	if m.matched > 0 {
		f.tell("worst IoU", m.iou)
		f.atMost("largest score change", m.score, noneIfZero(r.ScoreChange), 0, inf)
		f.atMost("largest shift of a corner", m.corner, noneIfZero(r.BoxChange), 0, inf)
	}
}

func noneIfZero(limit float64) float64 {
	if limit == 0 {
		return math.NaN()
	}
	return limit
}

// share10 contains, for each of COCO's ten thresholds, the number of expected detections that are
// matched.
type share10 [10]float64

func (r Detections) shares(actual, expected []Detection) (s share10) {
	found := func(all []Detection) (found []Detection) {
		for i, counts := range r.best(all) {
			if counts {
				found = append(found, all[i])
			}
		}
		return found
	}
	actual, expected = found(actual), found(expected)
	slices.Reverse(expected)
	truth := truthOf(expected)
	for t, iou := range cocoThresholds {
		s[t] = float64(len(matchBoxes(actual, truth, iou, len(actual), true)))
	}
	return s
}

// truthOf turns the expected detections into labels, as if each were an object in the image.
func truthOf(expected []Detection) []Truth {
	truth := make([]Truth, len(expected))
	for i, d := range expected {
		truth[i] = Truth{Box: d.Box, Class: d.Class}
	}
	return truth
}
