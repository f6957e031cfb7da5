package decisions

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Accuracy is how often a classifier is right, with what the number of rows lets one say of it.
type Accuracy struct {
	Rows  int     `json:"rows"`
	Right int     `json:"right"`
	Share float64 `json:"share"`
	// Least and Most bound the share with 95 % confidence: Wilson's score interval.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// TopKAccuracy is the share of the rows whose label is among the k greatest scores, ties going to
// the lower index.
func TopKAccuracy(scores *tensor.Tensor, labels []int, k int) (Accuracy, error) {
	right, err := correct(scores, labels, k)
	if err != nil {
		return Accuracy{}, err
	}
	a := Accuracy{Rows: len(right)}
	for _, r := range right {
		if r {
			a.Right++
		}
	}
	a.Share = float64(a.Right) / float64(a.Rows)
	a.Least, a.Most = Wilson(a.Right, a.Rows, confident)
	return a, nil
}

// confident is the quantile of the normal distribution for 95 %, both sides.
const confident = 1.959963984540054

// Wilson is Wilson's score interval of a share, for a quantile z of the normal distribution:
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
func Wilson(right, rows int, z float64) (least, most float64) {
	n := float64(rows)
	p := float64(right) / n
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return math.Max(0, (middle-half)/scale), math.Min(1, (middle+half)/scale)
}

// correct says of each row whether its label is among the k greatest scores.
func correct(scores *tensor.Tensor, labels []int, k int) ([]bool, error) {
	all, err := rows("scores", scores)
	if err != nil {
		return nil, err
	}
	classes := len(all[0])
	switch {
	case len(all) != len(labels):
		return nil, fmt.Errorf("decisions: accuracy: %d rows of scores, and %d labels", len(all),
			len(labels))
	case k < 1 || k >= classes:
		return nil, fmt.Errorf("decisions: accuracy: the label is always among the %d greatest of %d "+
			"scores; give a k from 1 to %d", k, classes, classes-1)
	}
	right := make([]bool, len(all))
	for i, row := range all {
		if labels[i] < 0 || labels[i] >= classes {
			return nil, fmt.Errorf("decisions: accuracy: label %d of row %d is not one of %d classes",
				labels[i], i, classes)
		}
		if finite("scores", i, row) == nil { // a row with NaN is wrong
			right[i] = slices.Contains(leaders(row, k), labels[i])
		}
	}
	return right, nil
}

// Confusion counts, for each label (row), which class the scores name (column).
func Confusion(scores *tensor.Tensor, labels []int) ([][]int, error) {
	all, err := rows("scores", scores)
	if err != nil {
		return nil, err
	}
	if _, err := correct(scores, labels, 1); err != nil {
		return nil, err
	}
	table := make([][]int, len(all[0]))
	for i := range table {
		table[i] = make([]int, len(all[0]))
	}
	for i, row := range all {
		table[labels[i]][argmax(row)]++
	}
	return table, nil
}

// NoWorse is whether one classifier is at most so much less accurate than another, on the same
// rows.
type NoWorse struct {
	Actual, Expected Accuracy
	// Lost and Won are the rows that only the expected side, and only the actual side, gets right.
	Lost, Won int
	// Greatest is the greatest loss of accuracy that 95 % confidence leaves possible, one-sided.
	Greatest float64
	Pass     bool
}

// NoWorseThan holds the top-k accuracy of two runs on the same labelled rows to each other. With b
// rows lost, c rows won and n rows, the loss is (b − c)/n, and its one-sided upper bound at 95 %
//
//	(b − c)/n + 1.645·√(b + c − (b − c)²/n)/n
//
// (the interval for the difference of paired shares that belongs to McNemar's test) must not be
// above most. Where no row differs the bound is that of the rule of three, 3/n.
func NoWorseThan(actual, expected *tensor.Tensor, labels []int, k int, most float64) (
	NoWorse, error) {
	a, err := correct(actual, labels, k)
	if err != nil {
		return NoWorse{}, fmt.Errorf("actual: %w", err)
	}
	e, err := correct(expected, labels, k)
	if err != nil {
		return NoWorse{}, fmt.Errorf("expected: %w", err)
	}
	if math.IsNaN(most) || most < 0 || most >= 1 {
		return NoWorse{}, fmt.Errorf("decisions: accuracy: a loss of at most %v; want a share from 0 up "+
			"to, but not including, 1", most)
	}
	var r NoWorse
	for i := range e {
		if e[i] && !a[i] {
			r.Lost++
		}
		if a[i] && !e[i] {
			r.Won++
		}
	}
	if r.Actual, err = TopKAccuracy(actual, labels, k); err != nil {
		return NoWorse{}, err
	}
	if r.Expected, err = TopKAccuracy(expected, labels, k); err != nil {
		return NoWorse{}, err
	}
	n, b, c := float64(len(e)), float64(r.Lost), float64(r.Won)
	r.Greatest = (b-c)/n + oneSided*math.Sqrt(b+c-(b-c)*(b-c)/n)/n
	if r.Lost+r.Won == 0 {
		r.Greatest = 3 / n
	}
	r.Pass = r.Greatest <= most
	return r, nil
}

// oneSided is the quantile of the normal distribution for 95 %, one side.
const oneSided = 1.6448536269514722
