package decisions

import (
	"cmp"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Classified says how often the scores of a classifier agree with the labels.
type Classified struct {
	Accuracy
	Wrong []Misclassified // the first five
	// Confused contains the label and the class that are confused most often; on ties, it is the
	// lowest pair. ConfusedRows counts the rows with this pair. Confused.Row is always 0.
	Confused     Misclassified
	ConfusedRows int
}

// Misclassified is a row whose label is not among the k highest scores.
type Misclassified struct{ Row, class, Label int }

// shownMisses is the number of wrong rows that messages list.
const shownMisses = 5

// Class describes the predicted class, or says why there is none: "class 3", "a NaN score" or "all
// scores are equal".
func (m Misclassified) Class() string {
	if m.class == hasNaN {
		return "a NaN score"
	}
	return className(m.class)
}

// labelledRow is the result for one row of scores.
type labelledRow struct {
	class int // the class with the highest score, or hasNaN or isFlat
	label int
	right bool // whether the label has one of the k highest scores, and the row has a class
}

// labelled compares each row of scores, along the last axis of the tensors, with its label. It
// returns an error unless there is one row for each label.
func labelled(scores []*tensor.Tensor, labels []int, k int) (all []labelledRow, err error) {
	for _, t := range scores {
		list, err := rows("the scores", t)
		if err != nil {
			return nil, err
		}
		classes := len(list[0])
		if k < 1 || k >= classes {
			return nil, fmt.Errorf("k is %d for rows of %d scores: want at least 1 and fewer than all, "+
				"because every label counts as right if k covers all scores", k, classes)
		}
		for _, row := range list {
			n := len(all)
			if n == len(labels) {
				return nil, fmt.Errorf("there are more rows of scores than labels (%d)", n)
			}
			if labels[n] < 0 || labels[n] >= classes {
				return nil, fmt.Errorf("label %d of row %d is not one of the %d classes", labels[n], n,
					classes)
			}
			class, _ := topIndex(row)
			all = append(all, labelledRow{class, labels[n], class >= 0 && ahead(row, labels[n]) < k})
		}
	}
	if len(all) != len(labels) {
		return nil, fmt.Errorf("%d rows of scores, but %d labels", len(all), len(labels))
	}
	return all, nil
}

// ahead counts the scores that rank before the given class: larger scores, and equal scores of
// lower classes.
func ahead(row []float64, class int) (n int) {
	for i, v := range row {
		if v > row[class] || v == row[class] && i < class {
			n++
		}
	}
	return n
}

// Classify counts the rows, along the last axis, whose label is among the k highest scores. All
// tensors together must have as many rows as there are labels. Ties go to the lower class. A row
// counts as wrong if it contains NaN or if its scores are all equal. It is an error if a label is
// not a class, if there is only one class, or if k covers all classes.
func Classify(scores []*tensor.Tensor, labels []int, k int) (c Classified, err error) {
	all, err := labelled(scores, labels, k)
	if err != nil {
		return c, err
	}
	right := 0
	confused := map[Misclassified]int{}
	for i, row := range all {
		if row.right {
			right++
			continue
		}
		confused[Misclassified{0, row.class, row.label}]++
		if len(c.Wrong) < shownMisses {
			c.Wrong = append(c.Wrong, Misclassified{i, row.class, row.label})
		}
	}
	for pair, n := range confused {
		if n > c.ConfusedRows || n == c.ConfusedRows && cmp.Or(cmp.Compare(pair.Label, c.Confused.Label),
			cmp.Compare(pair.class, c.Confused.class)) < 0 {
			c.Confused, c.ConfusedRows = pair, n
		}
	}
	c.Accuracy = accuracyOf(right, len(all))
	return c, nil
}

// Confusion returns the confusion matrix. Element [i][j] counts the rows of scores with label i in
// which class j has the highest score. A row of scores is left out if it contains a NaN or if its
// scores are all equal.
func Confusion(scores *tensor.Tensor, labels []int) ([][]int, error) {
	all, err := labelled([]*tensor.Tensor{scores}, labels, 1)
	if err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	shape := scores.Shape()
	table := make([][]int, shape[len(shape)-1])
	for i := range table {
		table[i] = make([]int, len(table))
	}
	for _, row := range all {
		if row.class >= 0 {
			table[row.label][row.class]++
		}
	}
	return table, nil
}
