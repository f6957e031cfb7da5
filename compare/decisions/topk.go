package decisions

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/largest"
	"github.com/modelparity/modelparity/tensor"
)

// TopK compares the K highest scores of each row, along the last axis. Ties go to the lower index,
// as in NumPy's stable sort.
//
// The leaders of a row are the classes with its K highest scores. A row flips if one of its actual
// leaders is wrong, which means that it is not an expected leader. An expected leader is then
// missing among the actual leaders. The margin says how far the wrong leader's expected score is
// below the missing leader's expected score. If several expected leaders are missing, the highest
// of their expected scores counts. If several actual leaders are wrong, the row has the largest of
// their margins.
//
// K must be less than the number of classes, or nothing could flip. An actual row with NaN flips,
// and no Margin excuses that flip. If an actual row's scores are all equal, its margin is the
// difference between the largest and the smallest expected score.
type TopK struct {
	K      int
	Output string // the output with the scores; "" if there is only one output
	Margin float64
	Flips  float64 // the share of rows that may flip beyond the margin
}

// text returns the rule in words, such as "the top 5, margin 0.01".
func (r TopK) text() string {
	return fmt.Sprintf("the top %d", r.K) + allowances(r.Margin, r.Flips, "rows")
}

// allowances describes, for messages, the margin and the fraction of flips that a rule allows.
func allowances(margin, flips float64, unit string) (text string) {
	if margin > 0 {
		text += ", margin " + figures.Short(margin)
	}
	if flips > 0 {
		text += fmt.Sprintf(", %s of the %s may fail", figures.Percent(flips), unit)
	}
	return text
}

func (r TopK) validate() error {
	if r.K < 1 {
		return fmt.Errorf("top-%d: k must be at least 1", r.K)
	}
	if err := margin(r.Margin); err != nil {
		return err
	}
	return share("flips", r.Flips)
}

// scores returns the name of the output with the scores.
func (r TopK) scores(expected []*tensor.Set) (string, error) { return nameOf(r.Output, expected) }

func (r TopK) scored() (Rule, *float64, float64) { return &r, &r.Margin, 2 }

func (r TopK) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.Allowed, f.idle = "rows", r.Flips, noOrder
	for i := range s.expected {
		a, e, err := s.rowsOf(i)
		if err != nil {
			return err
		}
		if classes := len(e[0]); r.K >= classes {
			return fmt.Errorf("top-%d of %d classes always includes all of them: set a smaller K",
				r.K, classes)
		}
		for row := range e {
			is, _ := topIndex(a[row])
			was, spread := topIndex(e[row])
			if was == hasNaN {
				return finite(fmt.Sprintf("the expected %q", s.name), row, e[row])
			}
			f.decide(1, one(spread > r.Margin))
			switch {
			case r.K == 1 && is == was: // the fast path for a passing row
			case is == hasNaN:
				f.broken = nanRun
				f.flip(Flip{f.row(i, row), topText(is), topText(was), inf, false})
			case is == isFlat && spread > r.Margin:
				f.flip(Flip{f.row(i, row), topText(is), topText(was), spread, false})
			default:
				flip, flips := r.flip(largest.Indices(a[row], r.K), largest.Indices(e[row], r.K), e[row])
				if flip.Where = f.row(i, row); flips {
					f.flip(flip)
				}
			}
		}
	}
	return nil
}

// noOrder is the message that says why a row of scores cannot fail the rule.
const noOrder = "a row cannot fail if its scores are equal or differ by at most the margin"

// flip returns the flip with the largest margin in one row, and whether the row flips.
func (r TopK) flip(actual, expected []int, scores []float64) (worst Flip, flips bool) {
	lost := slices.IndexFunc(expected, func(class int) bool { return !slices.Contains(actual, class) })
	for _, class := range actual {
		if slices.Contains(expected, class) {
			continue
		}
		if m := gap(scores[expected[lost]], scores[class]); !flips || m > worst.Margin {
			worst = Flip{Actual: strconv.Itoa(class), Expected: strconv.Itoa(expected[lost]), Margin: m,
				Excused: m <= r.Margin}
			flips = true
		}
	}
	return worst, flips
}
