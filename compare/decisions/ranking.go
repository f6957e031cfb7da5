package decisions

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Ranking compares the order of the scores in each row, along the last axis.
//
// Each pair of elements in a row whose expected scores differ is one decision. It flips if the
// actual scores are equal or in the opposite order. Its margin is the difference between the
// expected scores. Kendall's τ, the overlap of the K largest elements and NDCG at K are averages
// over the rows. If none of the three has a limit, the rule fails if any flipped pair has a margin
// above the field Margin. Otherwise only the limits decide, and flips are still reported. A row
// whose actual scores are all equal counts as 0 in each average.
//
// NDCG uses the expected scores as gains, so they must be finite and not negative. A row whose
// expected scores are all equal has no order and is ignored; it is an error if there is no other
// row.
type Ranking struct {
	Output string // the output with the scores; "" if there is one output
	Margin float64
	K      int // how many of the largest elements Overlap and NDCG compare; 0 skips both
	// The lowest averages that pass; 0 sets no limit.
	Tau, Overlap, NDCG float64
}

// text returns the rule in words, such as "the ranking, margin 0.01".
func (r Ranking) text() string {
	text := "the ranking" + allowances(r.Margin, 0, "")
	for _, m := range []struct {
		name  string
		least float64
	}{{"Kendall τ", r.Tau}, {r.overlap(), r.Overlap}, {r.ndcg(), r.NDCG}} {
		if m.least != 0 {
			text += fmt.Sprintf(", %s at least %s", m.name, figures.Exact(m.least))
		}
	}
	return text
}

func (r Ranking) overlap() string { return fmt.Sprintf("overlap at %d", r.K) }
func (r Ranking) ndcg() string    { return fmt.Sprintf("NDCG at %d", r.K) }

func (r Ranking) validate() error {
	switch {
	case r.K < 0, r.K == 0 && (r.Overlap != 0 || r.NDCG != 0):
		return fmt.Errorf("overlap and NDCG at %d: k must be at least 1", r.K)
	}
	return errors.Join(margin(r.Margin), least("Kendall τ", r.Tau), least("overlap", r.Overlap),
		least("NDCG", r.NDCG))
}

// scores returns the name of the output with the scores.
func (r Ranking) scores(expected []*tensor.Set) (string, error) {
	return nameOf(r.Output, expected)
}

func (r Ranking) scored() (Rule, *float64, float64) { return &r, &r.Margin, 2 }

func (r Ranking) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.idle = "pairs", noOrder
	if r.Tau != 0 || r.Overlap != 0 || r.NDCG != 0 {
		f.Allowed = inf
	}
	var sum averages
	for i := range s.expected {
		a, e, err := s.rowsOf(i)
		if err != nil {
			return err
		}
		for row := range e {
			if err := finite(fmt.Sprintf("the expected %q", s.name), row, e[row]); err != nil {
				return err
			}
			if err := r.row(a[row], e[row], f.row(i, row), &sum, f); err != nil {
				return err
			}
		}
	}
	if len(sum.tau) == 0 { // no row has an order
		return nil
	}
	f.atLeast("Kendall τ", mean(sum.tau), r.Tau, 0)
	if r.K > 0 {
		f.atLeast(r.overlap(), mean(sum.overlap), r.Overlap, mean(sum.leastOverlap))
		if !sum.gainless {
			f.atLeast(r.ndcg(), mean(sum.ndcg), r.NDCG, mean(sum.leastNDCG))
		} else if r.NDCG != 0 {
			return fmt.Errorf("NDCG uses the expected %q as gains, but some are negative or "+
				"infinite; use Tau or Overlap instead", s.name)
		}
	}
	return nil
}

// averages contains the measures of the rows whose expected scores are not all equal. leastOverlap
// and leastNDCG are the values that the worst possible order would have.
type averages struct {
	tau, overlap, ndcg, leastOverlap, leastNDCG []float64

	gainless bool // whether some gain is negative or infinite
}

// mean returns the mean of values. It sorts them, because the order affects the sum.
func mean(values []float64) (sum float64) {
	slices.Sort(values)
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// row adds the measures of one row to the averages, and the row's flips to the findings. An actual
// row with NaN has no order, so all its pairs flip.
func (r Ranking) row(a, e []float64, where string, sum *averages, f *Findings) error {
	is, _ := topIndex(a)
	if is == hasNaN {
		f.broken = nanRun
	}
	pairs := apart(e, 0)
	if pairs == 0 {
		return nil
	}
	if r.K >= len(e) {
		return fmt.Errorf("overlap at %d of %d scores is always 1: set a smaller K", r.K, len(e))
	}
	could := pairs // only the limits decide
	if !math.IsInf(f.Allowed, 1) {
		could = apart(e, r.Margin)
	}
	f.decide(pairs, could)
	if is == hasNaN {
		f.flips(Flip{where, "NaN", "an order", inf, false}, pairs)
	} else {
		r.pairs(a, e, where, f)
	}
	return r.average(a, e, is, sum)
}

// pairs adds to the findings those pairs of one row that flip.
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

// average adds one row to the averages. top is the result of topIndex for the actual row.
func (r Ranking) average(a, e []float64, top int, sum *averages) (err error) {
	tau, overlap, ndcg := 0., 0., 0.
	if top >= 0 {
		tau = kendallTau(a, e)
	}
	sum.tau = append(sum.tau, tau)
	if r.K == 0 {
		return nil
	}
	if top >= 0 {
		if overlap, err = Overlap(a, e, r.K); err != nil {
			return err
		}
	}
	sum.overlap = append(sum.overlap, overlap)
	sum.leastOverlap = append(sum.leastOverlap, float64(max(0, 2*r.K-len(e)))/float64(r.K))
	sum.gainless = sum.gainless || slices.Min(e) < 0 || math.IsInf(slices.Max(e), 1)
	if sum.gainless {
		return nil
	}
	if top >= 0 {
		if ndcg, err = NDCG(a, e, r.K); err != nil {
			return err
		}
	}
	reversed := make([]float64, len(e))
	for i, v := range e {
		reversed[i] = -v
	}
	worst, err := NDCG(reversed, e, r.K)
	sum.ndcg, sum.leastNDCG = append(sum.ndcg, ndcg), append(sum.leastNDCG, worst)
	return err
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
