package decisions

import (
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Classified says how well the scores of a classifier agree with the labels.
type Classified struct {
	Accuracy
	Wrong []Misclassified // the first five
	// Confused holds the label and the class that are confused most often; on ties, it is the lowest
	// pair. ConfusedRows counts the rows with this pair. Confused.Row is always 0.
	Confused     Misclassified
	ConfusedRows int
}

// Misclassified is a row whose label is not among the k greatest scores.
type Misclassified struct{ Row, class, Label int }

// shownMisses is the number of wrong rows that messages list.
const shownMisses = 5

// Class describes the class that the scores give, or why they give none: "class 3", "a NaN score"
// or "all scores are equal".
func (m Misclassified) Class() string {
	switch {
	case m.class == hasNaN:
		return "a NaN score"
	case m.class < 0:
		return leader(m.class)
	}
	return fmt.Sprintf("class %d", m.class)
}

// Classify counts the rows, along the last axis, whose label is among the k greatest scores. All
// tensors together must have as many rows as there are labels. Ties go to the lower class. A row
// counts as wrong if it contains NaN or if its scores are all equal. It is an error if a label is
// not a class, if there is only one class, or if k covers all classes.
func Classify(scores []*tensor.Tensor, labels []int, k int) (c Classified, err error) {
	if k < 1 {
		return c, fmt.Errorf("k is %d: want 1 or more", k)
	}
	row, right := 0, 0
	confused := map[Misclassified]int{}
	for _, t := range scores {
		shape := t.Shape()
		if len(shape) == 0 || t.Len() == 0 || t.ElementType() == tensor.String {
			return c, fmt.Errorf("%v%v has no axis of scores per class", t.ElementType(), shape)
		}
		classes := shape[len(shape)-1]
		switch {
		case classes == 1:
			return c, fmt.Errorf("%v%v has one class, which always has the greatest score",
				t.ElementType(), shape)
		case k >= classes:
			return c, fmt.Errorf("the label is always among the %d greatest of %d scores: give a "+
				"smaller k", k, classes)
		}
		all, err := rows("the scores", t)
		if err != nil {
			return c, err
		}
		for _, scores := range all {
			if row >= len(labels) {
				return c, fmt.Errorf("there are more rows of scores than the %d labels", len(labels))
			}
			label := labels[row]
			if label < 0 || label >= classes {
				return c, fmt.Errorf("label %d of row %d is not one of the %d classes", label, row, classes)
			}
			class, _ := lead(scores)
			if class >= 0 && ahead(scores, label) < k {
				right++
			} else {
				confused[Misclassified{0, class, label}]++
				if len(c.Wrong) < shownMisses {
					c.Wrong = append(c.Wrong, Misclassified{row, class, label})
				}
			}
			row++
		}
	}
	if row != len(labels) {
		return c, fmt.Errorf("%d rows of scores, but %d labels", row, len(labels))
	}
	for pair, n := range confused {
		if n > c.ConfusedRows || n == c.ConfusedRows && (pair.Label < c.Confused.Label ||
			pair.Label == c.Confused.Label && pair.class < c.Confused.class) {
			c.Confused, c.ConfusedRows = pair, n
		}
	}
	c.Accuracy = accuracyOf(right, row)
	return c, nil
}
