package decisions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Ranking compares the order of the scores in each row, along the last axis.
//
// Each pair of elements in a row whose expected scores differ is one decision. It flips if the
// actual scores are equal or in the opposite order. Its margin is the difference between the
// expected scores. Without Tau, no pair may flip beyond the margin. With Tau, only the mean of
// Kendall's τ over the rows decides, and flips are still reported. A row whose actual scores are
// all equal has a τ of 0.
//
// A row whose expected scores are all equal has no order and is ignored; it is an error if there is
// no other row.
type Ranking struct {
	Output string // the output with the scores; "" if there is one output
	Margin float64
	Tau    float64 // the lowest mean of Kendall's τ that passes; 0 sets no limit
}

// text returns the rule in words, such as "the ranking, margin 0.01".
func (r Ranking) text() string {
	text := "the ranking" + allowances(r.Margin, 0, "")
	if r.Tau != 0 {
		text += ", Kendall τ at least " + figures.Exact(r.Tau)
	}
	return text
}

func (r Ranking) validate() error {
	return errors.Join(margin(r.Margin), least("Kendall τ", r.Tau))
}

// scores returns the name of the output with the scores.
func (r Ranking) scores(expected []*tensor.Set) (string, error) {
	return nameOf(r.Output, expected)
}

// within sets the margin to 2·element, because both scores of a pair may change. element is the
// largest rounding error of one score.
func (r Ranking) within(element float64) (Rule, error) {
	err := setMargin(&r.Margin, 2*element)
	return r, err
}

func (r Ranking) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.idle = "pairs", noOrder
	if r.Tau != 0 {
		f.Allowed = inf
	}
	var taus []float64
	for i := range s.expected {
		a, e, err := s.rowsOf(i)
		if err != nil {
			return err
		}
		for row := range e {
			if err := finite(fmt.Sprintf("the expected %q", s.name), row, e[row]); err != nil {
				return err
			}
			if tau, ordered := r.row(a[row], e[row], f.row(i, row), f); ordered {
				taus = append(taus, tau)
			}
		}
	}
	if len(taus) > 0 {
		f.atLeast("Kendall τ", mean(taus), r.Tau, 0)
	}
	return nil
}

// mean returns the mean of values. It sorts them, because the order affects the sum.
func mean(values []float64) (sum float64) {
	slices.Sort(values)
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// row adds the flips of one row to the findings and returns Kendall's τ. ordered is false if all
// expected scores are equal. An actual row with NaN has no order, so all its pairs flip.
func (r Ranking) row(a, e []float64, where string, f *Findings) (tau float64, ordered bool) {
	is, _ := lead(a)
	if is == hasNaN {
		f.broken = nanRun
	}
	pairs := apart(e, 0)
	if pairs == 0 {
		return 0, false
	}
	could := pairs // only the limit decides
	if r.Tau == 0 {
		could = apart(e, r.Margin)
	}
	f.decide(pairs, could)
	if is == hasNaN {
		f.flips(Flip{where, "NaN", "an order", inf, false}, pairs)
	} else {
		r.pairs(a, e, where, f)
	}
	if is >= 0 {
		tau = kendallTau(a, e)
	}
	return tau, true
}

// pairs adds the pairs of one row that flip to the findings.
func (r Ranking) pairs(a, e []float64, where string, f *Findings) {
	beyond, worst := disordered(a, e, r.Margin)
	all, nearest := disordered(a, e, 0)
	if beyond > 0 {
		f.flips(worst.flip(where, false), beyond)
	}
	switch {
	case all > beyond && beyond == 0:
		f.flips(nearest.flip(where, true), all)
	case all > beyond: // disordered does not return the excused pairs' margins
		f.Excused += all - beyond
	}
}

// outOfOrder is a pair of elements whose actual scores are not in the order of their expected
// scores.
type outOfOrder struct {
	upper, lower int // the positions of the two elements; the expected score of upper is greater
	margin       float64
}

func (o outOfOrder) flip(where string, excused bool) Flip {
	return Flip{where, fmt.Sprintf("%d not above %d", o.upper, o.lower), "above", o.margin, excused}
}
