package decisions

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// AccuracyLoss limits how much less accurate a classifier may be than the expected run on labelled
// rows. The loss of accuracy is a fraction of the rows. With 95 % confidence, it must not exceed
// Most.
//
// The loss is bounded by Tango's score interval. It is an error if there are so few rows that no
// run can pass. For a hundred rows that all agree, the bound is still 2.6 %; a limit of 1 % needs
// at least 268 rows.
type AccuracyLoss struct {
	Output string // the output with the scores; "" if there is only one output
	Labels []int  // the labels of the rows of all iterations
	K      int    // a row is right if its label is among the K highest scores; 0 means 1
	Most   float64
}

// text returns the rule in words, such as "top-1 accuracy on 500 labels, at most 1 % lost with 95 %
// confidence".
func (r AccuracyLoss) text() string {
	return fmt.Sprintf("top-%d accuracy on %d labels, at most %s lost with 95 %% confidence", r.k(),
		len(r.Labels), figures.Percent(r.Most))
}

func (r AccuracyLoss) k() int { return max(r.K, 1) }

func (r AccuracyLoss) validate() error {
	if len(r.Labels) == 0 {
		return errors.New("accuracy: no labels")
	}
	if r.K < 0 {
		return fmt.Errorf("accuracy: top-%d: k must be at least 1", r.K)
	}
	if r.Most == 0 {
		return errors.New("accuracy: Most is 0, but no number of rows can prove a loss of 0: set a " +
			"larger limit")
	}
	return share("the loss", r.Most)
}

func (r AccuracyLoss) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Allowed = inf // only the measures decide
	e, err := labelled(s.expected, r.Labels, r.k())
	if err != nil {
		return fmt.Errorf("accuracy: %w", err)
	}
	a, err := labelled(s.actual, r.Labels, r.k())
	if err != nil {
		return fmt.Errorf("accuracy: %w", err)
	}
	var right, before, lost, won int
	for row, was := range e {
		is := a[row]
		if was.class == hasNaN {
			return fmt.Errorf("row %d of the expected %q contains a NaN, so it has no top class", row,
				s.name)
		}
		if is.class == hasNaN {
			f.broken = nanRun
		}
		right, before = right+one(is.right), before+one(was.right)
		lost, won = lost+one(was.right && !is.right), won+one(is.right && !was.right)
		if was.right && !is.right && lost <= shownFlips {
			f.Notes = append(f.Notes, fmt.Sprintf("newly wrong: row %d, %s for label %d", row,
				Misclassified{class: is.class}.Class(), is.label))
		}
	}
	n := len(e)
	f.Notes = append(f.Notes, fmt.Sprintf("accuracy: actual %v, expected %v",
		accuracyOf(right, n), accuracyOf(before, n)))
	f.tell("rows lost", float64(lost))
	f.tell("rows won", float64(won))
	f.atMost("upper bound of the loss at 95 % confidence", lossBound(n, lost, won), r.Most,
		lossBound(n, 0, 0), lossBound(n, before, 0))
	return nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// lossBound returns the one-sided 95 % upper confidence limit of the loss of accuracy, as a
// fraction of the rows. It is the upper limit of Tango's score interval for the difference of
// paired proportions (T. Tango, Statistics in Medicine 17, 1998, 891–908). n is the number of rows,
// lost the number that only the expected side gets right, and won the number that only the actual
// side gets right. The result is the loss δ for which
//
//	(lost − won − n·δ) / √(n·(2q + δ − δ²)) = −1.645
//
// where q is the maximum-likelihood estimate of the fraction of won rows, given the loss δ. Unlike
// the textbook interval that goes with McNemar's test, this limit keeps its confidence level if few
// or no rows differ.
func lossBound(n, lost, won int) float64 {
	rows, b, c := float64(n), float64(lost), float64(won)
	beyond := func(loss float64) bool { // reports whether the loss is too great to be plausible
		linear := -b - c + float64((float64(2*rows)-b+c)*loss)
		root := math.Sqrt(max(squared(linear)+float64(8*rows*c*loss*(1-loss)), 0))
		q := (root - linear) / (4 * rows)
		variance := rows * (float64(2*q) + loss - squared(loss))
		return b-c-float64(rows*loss) <= -oneSided*math.Sqrt(max(variance, 0))
	}
	low, high := (b-c)/rows, 1.
	for range 100 {
		if middle := low + float64((high-low)/2); beyond(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// oneSided is the one-sided 95 % quantile of the normal distribution.
const oneSided = 1.6448536269514722
