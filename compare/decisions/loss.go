package decisions

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// AccuracyLoss limits how much less accurate a classifier may be than the expected run on labelled
// rows. With 95 % confidence, the loss of accuracy, as a share of the rows, must be at most Most.
//
// The loss is bounded by [LossBound]. With too few rows no run can pass, which is an error: if a
// hundred rows all agree, the bound is still 2.6 %, and a limit of 1 % needs at least 268 rows.
type AccuracyLoss struct {
	Output string // the output with the scores; "" if there is only one output
	Labels []int  // the labels of the rows of all iterations
	K      int    // a row is right if its label is among the K greatest scores; 0 means 1
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
		return errors.New("accuracy: no number of rows can prove a loss of 0; give a greater limit")
	}
	return share("the loss", r.Most)
}

func (r AccuracyLoss) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Allowed = inf // only the measures decide
	var n, right, before, lost, won int
	for i := range s.expected {
		a, e, err := s.rowsOf(i)
		if err != nil {
			return err
		}
		for row := range e {
			if n == len(r.Labels) {
				return fmt.Errorf("accuracy: there are more rows of scores than the %d labels", len(r.Labels))
			}
			if err := finite(fmt.Sprintf("the expected %q", s.name), row, e[row]); err != nil {
				return err
			}
			label := r.Labels[n]
			n++
			_, was, err := classed(e[row], label, r.k())
			if err != nil {
				return err
			}
			class, is, err := classed(a[row], label, r.k())
			if err != nil {
				return err
			}
			if class == hasNaN {
				f.broken = nanRun
			}
			right, before = right+one(is), before+one(was)
			lost, won = lost+one(was && !is), won+one(is && !was)
			if was && !is && lost <= shownFlips {
				f.Notes = append(f.Notes, fmt.Sprintf("lost: %s, %s for label %d", f.row(i, row),
					Misclassified{class: class}.Class(), label))
			}
		}
	}
	if n != len(r.Labels) {
		return fmt.Errorf("accuracy: %d rows of scores, but %d labels", n, len(r.Labels))
	}
	f.Notes = append(f.Notes, fmt.Sprintf("accuracy: actual %v, expected %v",
		accuracyOf(right, n).text(), accuracyOf(before, n).text()))
	f.tell("rows lost", float64(lost))
	f.tell("rows won", float64(won))
	f.tell("McNemar's p", McNemar(lost, won))
	f.atMost("upper bound of the loss at 95 % confidence", LossBound(n, lost, won), r.Most,
		LossBound(n, 0, 0), LossBound(n, before, 0))
	return nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// LossBound returns the one-sided 95 % upper confidence limit of the loss of accuracy, as a share
// of the rows. It is the upper limit of Tango's score interval for the difference of paired shares
// (T. Tango, Statistics in Medicine 17, 1998, 891–908). n is the number of rows, lost the number
// that only the expected side gets right, and won the number that only the actual side gets right.
// The result is the loss δ for which
//
//	(lost − won − n·δ) / √(n·(2q + δ − δ²)) = −1.645
//
// where q is the maximum-likelihood share of won rows given the loss δ. Unlike the textbook
// interval that goes with McNemar's test, this limit keeps its confidence level if few or no rows
// differ.
func LossBound(n, lost, won int) float64 {
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

// McNemar returns the p-value of McNemar's exact test. The null hypothesis is that each side is
// equally likely to be the right one in a row that only one side gets right. It is the two-sided
// binomial test of lost among lost + won, as scipy.stats.binomtest computes it.
func McNemar(lost, won int) float64 {
	n, k := lost+won, min(lost, won)
	if 2*k >= n {
		return 1
	}
	p := 0.
	for i := range k + 1 {
		p += math.Exp(logChoose(n, i) - float64(float64(n)*math.Ln2))
	}
	return math.Min(1, 2*p)
}

func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	chosen, _ := math.Lgamma(float64(k + 1))
	rest, _ := math.Lgamma(float64(n - k + 1))
	return all - chosen - rest
}
