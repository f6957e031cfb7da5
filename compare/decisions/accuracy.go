package decisions

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Accuracy says how often a classifier is right, with a confidence interval that depends on the
// number of rows.
type Accuracy struct {
	Rows  int     `json:"rows"`
	Right int     `json:"right"`
	Share float64 `json:"share"`
	// Least and Most are the ends of the 95 % confidence interval of Share: Wilson's score interval.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// text returns the share with its interval, such as "0.91 (0.88 to 0.935 at 95 % confidence)".
func (a Accuracy) text() string {
	return fmt.Sprintf("%s (%s to %s at 95 %% confidence)", figures.Short(a.Share),
		figures.Short(a.Least), figures.Short(a.Most))
}

// accuracyOf returns the share of right rows with its interval. rows must be at least 1.
func accuracyOf(right, rows int) Accuracy {
	a := Accuracy{Rows: rows, Right: right, Share: float64(right) / float64(rows)}
	a.Least, a.Most = wilson(right, rows, confident)
	return a
}

// confident is the two-sided 95 % quantile of the normal distribution.
const confident = 1.959963984540054

// wilson returns Wilson's score interval for the share p of right rows, given a quantile z of the
// normal distribution:
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
func wilson(right, rows int, z float64) (least, most float64) {
	n := float64(rows)
	p := float64(right) / n
	middle := p + float64(z*z/(2*n))
	half := float64(z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))
	scale := 1 + z*z/n
	return math.Max(0, (middle-half)/scale), math.Min(1, (middle+half)/scale)
}

// labelled returns the rows of scores. It returns an error unless there is one row for each label.
func labelled(scores *tensor.Tensor, labels []int) ([][]float64, error) {
	all, err := rows("scores", scores)
	if err == nil && len(all) != len(labels) {
		err = fmt.Errorf("accuracy: %d rows of scores, but %d labels", len(all), len(labels))
	}
	if err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	return all, nil
}

// classed returns the class with the row's greatest score, or hasNaN or isFlat. right reports
// whether the label has one of the k greatest scores; it is false if the row decides nothing.
func classed(row []float64, label, k int) (class int, right bool, err error) {
	switch classes := len(row); {
	case k < 1 || k >= classes:
		return 0, false, fmt.Errorf("accuracy: the label is always among the %d greatest of %d scores; "+
			"give a k from 1 to %d", k, classes, classes-1)
	case label < 0 || label >= classes:
		return 0, false, fmt.Errorf("accuracy: label %d is not one of %d classes", label, classes)
	}
	class, _ = lead(row)
	return class, class >= 0 && ahead(row, label) < k, nil
}

// ahead counts the scores that rank before the given class: greater scores, and equal scores of
// lower classes.
func ahead(row []float64, class int) (n int) {
	for i, v := range row {
		if v > row[class] || v == row[class] && i < class {
			n++
		}
	}
	return n
}

// Confusion counts, for each label (row), how often each class (column) has the greatest score. A
// row with NaN or with equal scores has no class and is left out.
func Confusion(scores *tensor.Tensor, labels []int) ([][]int, error) {
	all, err := labelled(scores, labels)
	if err != nil {
		return nil, err
	}
	table := make([][]int, len(all[0]))
	for i := range table {
		table[i] = make([]int, len(all[0]))
	}
	for i, row := range all {
		class, _, err := classed(row, labels[i], 1)
		if err != nil {
			return nil, fmt.Errorf("decisions: row %d: %w", i, err)
		}
		if class >= 0 {
			table[labels[i]][class]++
		}
	}
	return table, nil
}
