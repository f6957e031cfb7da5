package decisions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Detection is one box that a detector found in an image.
type Detection struct {
	Box   Box     `json:"box"`
	Score float64 `json:"score"`
	Class int     `json:"class"`
	// Scores contains the score of each class, if the layout has them.
	Scores []float64 `json:"-"`
}

// Layout says how a detector's outputs describe boxes. The boxes are either in several tensors,
//
//	decisions.Layout{Boxes: "boxes", Scores: "scores", Classes: "labels", Count: "num_detections"}
//
// or in one tensor with a row per box and named columns,
//
//	decisions.Layout{Packed: "output0", Columns: "x0 y0 x1 y1 score class"}
//	decisions.Layout{Packed: "output0", Columns: "cx cy w h classes", ChannelsFirst: true,
//		Suppress: 0.7} // the head of YOLOv8, [1,84,8400]
//	decisions.Layout{Packed: "output", Columns: "cx cy w h objectness classes", Suppress: 0.6}
//	decisions.Layout{Packed: "detection_out", Columns: "image class score x0 y0 x1 y1"}
//
// The axes before the axis of the boxes are batch axes: each index is an image, unless a column
// contains the number of the image. Boxes with a negative class or image are padding.
type Layout struct {
	// Boxes has a box along its last axis, Scores has a score per box, and Classes the class per box.
	// Without Classes, the last axis of Scores contains a score per class, and the highest decides; if
	// Scores has no such axis, all boxes are of class 0. Count is the number of valid boxes of each
	// image; without Count, all boxes are valid.
	Boxes, Scores, Classes, Count string
	// Packed is the output that contains boxes, scores and classes together.
	Packed string
	// Columns lists the columns' names, separated by blanks. A box is "x0 y0 x1 y1" (the default for
	// Boxes), "x y w h" with its top left corner, or "cx cy w h" with its centre; the columns may be
	// in any order. Packed also needs score and class, or classes. classes means all remaining
	// columns, which contain a score for each class; the scores are multiplied by objectness if there
	// is such a column. image contains the number of the image, and _ is ignored.
	Columns string
	// ChannelsFirst says that the columns of Packed lie along the axis before the last.
	ChannelsFirst bool
	// NoObject says that Scores contains logits for each class, and that the last class means that
	// there is no object, as in DETR. The scores are then the softmax of the logits, without that
	// class.
	NoObject bool
	// Suppress is the IoU above which the lower-scoring of two boxes of a class is dropped. Set it for
	// a model without non-maximum suppression. 0 drops no box.
	Suppress float64
}

// outputs returns the names of the outputs that the layout reads.
func (l Layout) outputs() (names []string) {
	for _, name := range []string{l.Packed, l.Boxes, l.Scores, l.Classes, l.Count} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (l Layout) validate() error {
	switch {
	case l.Packed == "" && (l.Boxes == "" || l.Scores == ""):
		return errors.New("the layout names no outputs: set Boxes, Scores and Classes, or Packed and " +
			"Columns")
	case l.Packed != "" && l.Boxes+l.Scores+l.Classes+l.Count != "":
		return errors.New("the layout sets Packed, which contains everything: remove the other outputs")
	case l.Packed == "" && l.ChannelsFirst:
		return errors.New("the layout sets ChannelsFirst, which is for Packed only: set Packed, too")
	case l.NoObject && (l.Scores == "" || l.Classes != ""):
		return errors.New("the layout sets NoObject, which needs Scores with a logit per class: set " +
			"Scores, and leave out Classes")
	case !(l.Suppress >= 0 && l.Suppress < 1):
		return fmt.Errorf("the layout: Suppress is %v: want an IoU of at least 0 and below 1", l.Suppress)
	}
	_, err := l.columns()
	return err
}

// NotFiniteError reports a box or a score that is NaN or infinite. It means that the run is wrong.
// All other errors of a [Layout] mean that the layout does not fit the outputs.
type NotFiniteError struct {
	Image, Index int // Index counts the image's detections
	Detection    Detection
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("detection %d of image %d is not finite: box %v, score %v", e.Index, e.Image,
		e.Detection.Box, e.Detection.Score)
}

// images returns, for each image, the detections with at least the given score, by descending
// score. If a box or a score is not finite, it returns a [*NotFiniteError].
func (l Layout) images(outputs *tensor.Set, least float64) (images [][]Detection, err error) {
	if l.Packed != "" {
		images, err = l.packed(outputs, least)
	} else {
		images, err = l.separate(outputs, least)
	}
	if err != nil {
		return nil, err
	}
	for i := range images {
		for k, d := range images[i] {
			for _, v := range append(d.Box[:], d.Score) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, &NotFiniteError{Image: i, Index: k, Detection: d}
				}
			}
		}
		slices.SortFunc(images[i], inOrder)
		if l.Suppress > 0 {
			images[i] = suppress(images[i], l.Suppress)
		}
	}
	return images, nil
}

// inOrder compares detections by descending score, then by class and box, so that the order of the
// model's boxes never matters.
func inOrder(x, y Detection) int {
	return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Class, y.Class),
		slices.Compare(x.Box[:], y.Box[:]))
}

// suppress drops each box whose IoU with a higher-scoring box of the same class exceeds iou: greedy
// non-maximum suppression, as in torchvision.ops.batched_nms. The boxes are sorted.
func suppress(all []Detection, iou float64) (kept []Detection) {
	for _, d := range all {
		covered := slices.ContainsFunc(kept, func(k Detection) bool {
			return k.Class == d.Class && k.Box.IoU(d.Box) > iou
		})
		if !covered {
			kept = append(kept, d)
		}
	}
	return kept
}

// read returns an output that the layout names, and its numbers.
func read(outputs *tensor.Set, name string) (*tensor.Tensor, []float64, error) {
	t, ok := output(outputs, name)
	if !ok {
		return nil, nil, fmt.Errorf("the layout names output %q; the outputs are %s", name,
			names.List(outputs.Names()))
	}
	values, err := numbers(fmt.Sprintf("output %q", name), t)
	return t, values, err
}

// separate reads boxes, scores and classes from separate tensors.
func (l Layout) separate(outputs *tensor.Set, least float64) ([][]Detection, error) {
	c, _ := l.columns() // validate has checked them
	boxes, corners, err := read(outputs, l.Boxes)
	if err != nil {
		return nil, err
	}
	scores, values, err := read(outputs, l.Scores)
	if err != nil {
		return nil, err
	}
	shape, classes := scores.Shape(), 1
	oneClass := shape.Equal(boxes.Shape()[:max(0, len(boxes.Shape())-1)])
	if l.Classes == "" && len(shape) > 0 && !oneClass {
		classes = shape[len(shape)-1]
		shape = shape[:len(shape)-1]
	}
	if l.NoObject && classes < 2 {
		return nil, fmt.Errorf("output %q %v: NoObject needs logits for at least two classes",
			l.Scores, scores.Shape())
	}
	if len(shape) < 1 || len(shape) > 2 {
		return nil, fmt.Errorf("output %q has shape %v: want one score per box, in shape [boxes] or "+
			"[images, boxes]", l.Scores, scores.Shape())
	}
	n, images := shape[len(shape)-1], 1
	if len(shape) == 2 {
		images = shape[0]
	}
	if b := boxes.Shape(); len(b) < 2 || b[len(b)-1] != c.width || boxes.Len() != images*n*c.width {
		return nil, fmt.Errorf("output %q has shape %v: want %d numbers for each box, and one box "+
			"for each score (%d scores in each of %d images)", l.Boxes, b, c.width, n, images)
	}
	var kinds []float64
	if l.Classes != "" {
		t, ids, err := read(outputs, l.Classes)
		if err != nil {
			return nil, err
		}
		if t.Len() != images*n {
			return nil, fmt.Errorf("output %q %v: want a class for each score, with %d scores in each "+
				"of %d images", l.Classes, t.Shape(), n, images)
		}
		kinds = ids
	}
	counts, err := l.counts(outputs, images, n)
	if err != nil {
		return nil, err
	}
	found := make([][]Detection, images)
	for image := range found {
		for i := image * n; i < image*n+counts[image]; i++ {
			d := Detection{Box: c.boxOf(corners[i*c.width:])}
			switch row := values[i*classes:]; {
			case kinds != nil:
				d.set(values[i], kinds[i])
			case l.NoObject:
				d.choose(softmax(row[:classes])[:classes-1], 1)
			default:
				d.choose(row[:classes], 1)
			}
			if d.Class >= 0 && !(d.Score < least) {
				found[image] = append(found[image], d)
			}
		}
	}
	return found, nil
}

// counts returns the number of valid boxes in each image.
func (l Layout) counts(outputs *tensor.Set, images, n int) ([]int, error) {
	if l.Count == "" {
		return slices.Repeat([]int{n}, images), nil
	}
	t, values, err := read(outputs, l.Count)
	if err != nil {
		return nil, err
	}
	if t.Len() != images {
		return nil, fmt.Errorf("output %q %v: want a count of boxes for each of %d images",
			l.Count, t.Shape(),
			images)
	}
	counts := make([]int, images)
	for i := range counts {
		v := values[i]
		if !(v >= 0 && v <= float64(n)) {
			return nil, fmt.Errorf("output %q counts %v boxes in image %d, but there are only %d", l.Count,
				v, i, n)
		}
		counts[i] = int(v)
	}
	return counts, nil
}

// set sets d's score and class. If the class is NaN, it sets the score to NaN, which is reported as
// an error later.
func (d *Detection) set(score, class float64) {
	if d.Score = score; math.Abs(class) > 1<<53 || math.IsNaN(class) {
		d.Score = math.NaN()
		return
	}
	d.Class = int(class)
}

// softmax returns the probabilities of logits, or NaN if a logit is NaN or +Inf.
func softmax(logits []float64) []float64 {
	zero, err := normaliser(logits, nil)
	if err != nil {
		zero = math.NaN()
	}
	probabilities := make([]float64, len(logits))
	for i, v := range logits {
		probabilities[i] = math.Exp(v - zero)
	}
	return probabilities
}

// choose sets a detection's class to the class with the highest score (with ties, the lowest
// class), and its score to that score times factor. A NaN among the scores makes the score NaN.
func (d *Detection) choose(scores []float64, factor float64) {
	highest := slices.Max(scores) // NaN if one of them is NaN
	d.Class, d.Score, d.Scores = max(0, slices.Index(scores, highest)), highest*factor, scores
	if factor != 1 {
		d.Scores = make([]float64, len(scores))
		for i, v := range scores {
			d.Scores[i] = v * factor
		}
	}
}
