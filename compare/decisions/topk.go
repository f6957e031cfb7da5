package decisions

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// TopKReport is what [TopK] found.
type TopKReport struct {
	Count
	K       int    `json:"k"`
	Flipped []Flip `json:"flipped"` // the greatest of each row, in the rows' order
}

// TopK compares which k classes lead in each row of scores, along the last axis. With ordered,
// their order counts as well. Ties go to the lower index, as in NumPy's stable sort.
//
// A row flips where an actual leader is not an expected one (or not at its place). The flip's
// margin is the distance between the two classes' expected scores; it is excused up to margin.
//
// k must be less than the number of classes, or nothing could flip unless the order counts; NaN and
// shapes that differ are errors.
func TopK(actual, expected *tensor.Tensor, k int, ordered bool, margin float64) (
	TopKReport, error) {
	a, e, err := bothRows(actual, expected)
	if err == nil {
		err = tolerance(margin)
	}
	if err != nil {
		return TopKReport{}, err
	}
	classes := len(e[0])
	switch {
	case k < 1:
		return TopKReport{}, fmt.Errorf("decisions: top-%d: k must be at least 1", k)
	case k > classes, k == classes && !ordered, classes == 1:
		return TopKReport{}, fmt.Errorf("decisions: top-%d of %d classes is always all of them; give a "+
			"smaller k", k, classes)
	}
	report := TopKReport{K: k, Count: Count{Rows: len(e)}}
	for row := range e {
		if err := finite("actual", row, a[row]); err != nil {
			return TopKReport{}, err
		}
		if err := finite("expected", row, e[row]); err != nil {
			return TopKReport{}, err
		}
		if f, flips := topFlip(leaders(a[row], k), leaders(e[row], k), e[row], ordered); flips {
			f.Row, f.Excused = row, f.Margin <= margin
			report.add(f)
			report.Flipped = append(report.Flipped, f)
		}
	}
	return report, nil
}

// leaders are the indices of the k greatest values, the greatest first.
func leaders(values []float64, k int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case values[i] > values[j]:
			return -1
		case values[i] < values[j]:
			return 1
		}
		return 0
	})
	return order[:k]
}

// topFlip is the flip with the greatest margin in one row.
func topFlip(actual, expected []int, scores []float64, ordered bool) (worst Flip, flips bool) {
	for place, class := range actual {
		instead := expected[place]
		if ordered && class == instead || !ordered && slices.Contains(expected, class) {
			continue
		}
		if !ordered { // the least of the expected leaders gave way
			instead = expected[len(expected)-1]
		}
		margin := scores[instead] - scores[class]
		if margin < 0 {
			margin = -margin
		}
		if !flips || margin > worst.Margin {
			worst, flips = Flip{Actual: class, Expected: instead, Margin: margin}, true
		}
	}
	return worst, flips
}
