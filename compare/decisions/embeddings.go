package decisions

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Embeddings compares feature vectors, which are the rows along the last axis, by the cosine
// similarity of each row with its expected row.
//
// Each row is one decision. It flips if its similarity with the expected row is below Cosine;
// nothing excuses that flip.
//
// A row that is all zeros, or has a NaN or an infinity, has no direction. On the actual side such a
// row flips; on the expected side it is an error. A row whose elements are all equal flips unless
// the elements of the expected row are all equal too.
type Embeddings struct {
	Output string // "" if there is one output
	Cosine float64
}

// text returns the rule in words, such as "embeddings, cosine at least 0.999".
func (r Embeddings) text() string {
	return "embeddings, cosine at least " + figures.Exact(r.Cosine)
}

func (r Embeddings) validate() error {
	if !(r.Cosine > -1 && r.Cosine <= 1) {
		return fmt.Errorf("invalid Cosine %v: want more than -1 and at most 1", r.Cosine)
	}
	return nil
}

func (r Embeddings) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.idle = "rows", "a row cannot flip if it has a single feature, or if its features are "+
		"all equal"
	lowest, sum := 1., 0.
	for i := range s.expected {
		left, right, err := s.rowsOf(i)
		if err != nil {
			return err
		}
		for row := range right {
			a, e := directionOf(left[row]), directionOf(right[row])
			if e == nil {
				return fmt.Errorf("row %d of the expected %q has no direction: it is all zeros or not "+
					"finite", row, s.name)
			}
			is, _ := lead(left[row])
			was, _ := lead(right[row])
			f.decide(1, one(was != isFlat && r.Cosine > rounding-1))
			if is == isFlat && was != isFlat {
				a = nil
			}
			similarity := r.similar(a, e, f.row(i, row), f)
			lowest, sum = math.Min(lowest, similarity), sum+similarity
		}
	}
	f.tell("least cosine", lowest)
	f.tell("mean cosine", sum/float64(f.Decisions))
	return nil
}

// similar returns the similarity of a row with its expected row, and adds a flip to the findings if
// it is too low. Both rows are scaled to length 1; a is nil if the actual row has no direction.
func (r Embeddings) similar(a, e []float64, where string, f *Findings) float64 {
	similarity := -1.
	switch {
	case slices.Equal(a, e):
		similarity = 1 // without a rounding error
	case a == nil:
		f.flip(Flip{where, "no direction", "one", inf, false})
	default:
		similarity = product(a, e)
	}
	if a != nil && similarity < r.Cosine-rounding {
		f.flip(Flip{where, "cosine " + figures.Short(similarity),
			"at least " + figures.Exact(r.Cosine), inf, false})
	}
	return similarity
}

// rounding bounds the rounding error of a cosine computed in float64.
const rounding = 1e-12

// directionOf scales a row to length 1. It returns nil if the row has no direction, because it is
// all zeros or not finite.
func directionOf(row []float64) []float64 {
	greatest := 0.0
	for _, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		greatest = math.Max(greatest, math.Abs(v))
	}
	if greatest == 0 {
		return nil
	}
	scaled := make([]float64, len(row))
	for k, v := range row {
		scaled[k] = v / greatest // scaled, so that squares neither vanish nor overflow
	}
	length := math.Sqrt(product(scaled, scaled))
	for k := range scaled {
		scaled[k] /= length
	}
	return scaled
}

func product(x, y []float64) (sum float64) {
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}
