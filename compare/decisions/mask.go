package decisions

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Mask compares the class of every pixel. The output contains one of
//
//   - integers or bools, with height and width along the last two axes;
//   - scores with the classes along Axis, counted from the end if negative; the first of the
//     highest scores is the class, and a pixel whose scores are all equal has no class
//     (FromScores);
//   - one score per pixel; a score above Threshold is class 1, any other class 0 (FromThreshold).
//
// A pixel flips if its class differs between the two sides. The flip is excused if the margin of
// the pixel's expected scores is at most Margin. It is also excused if an expected pixel of a
// different class is at most Boundary pixels away, horizontally, vertically or diagonally, because
// segmentations are unstable along edges.
//
//	agreement = pixels that are equal or excused / all pixels
//	IoU of a class = pixels with the class on both sides / pixels with it on either side
//
// The mean IoU is over all classes that occur on at least one side in at least one iteration, as in
// sklearn.metrics.jaccard_score. If neither Agreement nor MeanIoU is set, every flip must be
// excused; otherwise only those two limits decide, and flips do not.
//
// It is an error if a mask with the same class everywhere would pass too. This happens if the
// expected masks contain only one class, or if nearly all of their pixels have one class or are
// excused.
type Mask struct {
	Output    string // "" if there is one output
	From      MaskSource
	Axis      int     // the axis of the classes, for FromScores
	Threshold float64 // for FromThreshold
	Boundary  int     // pixels
	Margin    float64 // the largest excused score difference
	Agreement float64 // the lowest agreement that passes; 0 sets no limit
	MeanIoU   float64 // the lowest mean IoU that passes; 0 sets no limit
}

// MaskSource says how an output encodes the class of a pixel.
type MaskSource uint8

// The encodings that a [Mask] can read.
const (
	FromClasses   MaskSource = iota // integers or bools
	FromScores                      // the highest score along an axis
	FromThreshold                   // a score above a threshold
)

// text returns the rule in words, such as "the mask, 2 px around boundaries left out".
func (r Mask) text() string {
	text := "the mask"
	switch r.From {
	case FromScores:
		text += fmt.Sprintf(" of the highest scores along axis %d", r.Axis)
	case FromThreshold:
		text += " of scores above " + figures.Exact(r.Threshold)
	}
	if r.Boundary > 0 {
		text += fmt.Sprintf(", ignoring %d px around boundaries", r.Boundary)
	}
	text += allowances(r.Margin, 0, "")
	if r.Agreement != 0 {
		text += ", agreement at least " + figures.Exact(r.Agreement)
	}
	if r.MeanIoU != 0 {
		text += ", mean IoU at least " + figures.Exact(r.MeanIoU)
	}
	return text
}

var errClassIDs = errors.New("mask: class ids do not say how close a decision was, so no margin " +
	"can excuse a flip: compare the scores, or set Boundary")

func (r Mask) validate() error {
	switch {
	case r.Boundary < 0:
		return fmt.Errorf("mask: Boundary is %d: want 0 or more pixels", r.Boundary)
	case r.From > FromThreshold:
		return fmt.Errorf("mask: unknown source %d", r.From)
	case r.From == FromClasses && r.Margin > 0:
		return errClassIDs
	case r.From == FromThreshold && math.IsNaN(r.Threshold):
		return errors.New("mask: the threshold is NaN")
	}
	return errors.Join(margin(r.Margin), least("agreement", r.Agreement),
		least("mean IoU", r.MeanIoU))
}

// scores returns the name of the output with the scores.
func (r Mask) scores(expected []*tensor.Set) (string, error) {
	if r.From == FromClasses {
		return "", errClassIDs
	}
	return nameOf(r.Output, expected)
}

func (r Mask) scored() (Rule, *float64, float64) {
	if r.From == FromThreshold {
		return &r, &r.Margin, 1
	}
	return &r, &r.Margin, 2
}

func (r Mask) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.idle = "pixels", "every expected pixel has the same class, except pixels near "+
		"a class boundary and pixels whose scores are within the margin"
	if r.Agreement != 0 || r.MeanIoU != 0 {
		f.Allowed = inf
	}
	count := overlaps{map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}}
	for i := range s.expected {
		e, err := r.pixels(s.name, s.expected[i])
		if err != nil {
			return err
		}
		if slices.Contains(e.class, hasNaN) {
			return fmt.Errorf("a pixel of the expected %q has a NaN score and thus no class", s.name)
		}
		a, err := r.pixels(s.name, s.actual[i])
		if err != nil {
			return mismatch(err.Error())
		}
		r.compare(a, e, i, &count, f)
	}
	all, decisive, most := 0, 0, 0
	for class, n := range count.expected {
		all, decisive, most = all+n, decisive+count.decisive[class], max(most, count.decisive[class])
	}
	f.decide(all, decisive-most) // a mask of one class is right at best in the most frequent class
	f.tell("equal pixels", 1-float64(f.Unexcused+f.Excused)/float64(all))
	f.atLeast("agreement", 1-float64(f.Unexcused)/float64(all), r.Agreement,
		1-float64(f.could)/float64(all))
	f.atLeast("mean IoU", count.mean(), r.MeanIoU, count.single())
	return nil
}

// compare compares the masks of one iteration and adds the results to the pixel counts and the
// findings.
func (r Mask) compare(a, e plane, iteration int, count *overlaps, f *Findings) {
	var distance []int // from each pixel to the nearest expected pixel of another class
	if r.Boundary > 0 {
		distance = e.distances()
	}
	strict := r.MeanIoU != 0 && r.Agreement == 0 // nothing excuses a pixel from the mean IoU
	for i, class := range e.class {
		count.add(a.class[i], class)
		near := distance != nil && distance[i] > 0 && distance[i] <= r.Boundary
		if strict || !near && e.spread(i) > r.Margin {
			count.decisive[class]++
		}
		if a.class[i] == hasNaN {
			f.broken = nanRun
		}
		if a.class[i] == class {
			continue
		}
		flip := Flip{Where: f.in(iteration, fmt.Sprintf("pixel %v", e.at(i))),
			Actual: className(a.class[i]), Expected: className(class), Margin: inf}
		if a.class[i] != hasNaN {
			flip.Margin = e.margin(i, a.class[i])
			flip.Excused = near || flip.Margin <= r.Margin
		}
		f.flip(flip)
	}
}

// overlaps counts pixels, by class: both, pixels with the class on both sides; either, pixels with
// the class on at least one side; expected, pixels with the class on the expected side; decisive,
// those expected pixels at which the rule would not excuse a different class.
type overlaps struct{ both, either, expected, decisive map[int]int }

func (o *overlaps) add(actual, expected int) {
	o.expected[expected]++
	o.either[expected]++
	if actual == expected {
		o.both[expected]++
	} else {
		o.either[actual]++
	}
}

// mean returns the mean IoU over all classes. Pixels without a class do not count.
func (o *overlaps) mean() float64 {
	shares := []float64{}
	for class, either := range o.either {
		if class > isFlat {
			shares = append(shares, float64(o.both[class])/float64(either))
		}
	}
	if len(shares) == 0 {
		return 1
	}
	return mean(shares)
}

// single returns the highest mean IoU that a mask with the same class everywhere can reach.
func (o *overlaps) single() float64 {
	most, all, classes := 0, 0, 0
	for class, n := range o.expected {
		all += n
		if class > isFlat {
			most, classes = max(most, n), classes+1
		}
	}
	return float64(most) / float64(all) / float64(max(classes, 1))
}
