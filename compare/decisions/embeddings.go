package decisions

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/largest"
	"github.com/modelparity/modelparity/tensor"
)

// Embeddings compares feature vectors, which are the rows along the last axis. It computes the
// cosine similarity of each row with its expected row. If K is set, it also compares, for each row,
// which K other rows are the nearest by cosine similarity. These neighbours are chosen among the
// rows of all iterations.
//
// Each row is one decision. It flips if its similarity with the expected row is below Cosine;
// nothing excuses that flip. A changed neighbour is excused if, on the expected side, the row's
// similarities with the old and the new neighbour differ by at most Margin. Over all rows, the
// fraction of neighbours that are unchanged or excused must be at least Neighbours.
//
// A row that is all zeros, or has a NaN or an infinity, has no direction. On the actual side such a
// row flips; on the expected side it is an error. An actual row whose elements are all equal flips
// unless the elements of the expected row are all equal too.
type Embeddings struct {
	Output     string // "" if there is one output
	Cosine     float64
	K          int // the number of nearest rows to compare; 0 compares none
	Neighbours float64
	Margin     float64
}

// text returns the rule in words, such as "embeddings, cosine at least 0.999".
func (r Embeddings) text() string {
	text := "embeddings, cosine at least " + figures.Exact(r.Cosine)
	if r.K > 0 {
		text += fmt.Sprintf(", and on average at least %s of each row's %d nearest neighbours are "+
			"the same on both sides", figures.Percent(r.Neighbours), r.K)
	}
	return text + allowances(r.Margin, 0, "")
}

func (r Embeddings) validate() error {
	switch {
	case !(r.Cosine > -1 && r.Cosine <= 1):
		return fmt.Errorf("invalid Cosine %v: want more than -1 and at most 1", r.Cosine)
	case r.K < 0:
		return fmt.Errorf("invalid K %d: want 0 or more", r.K)
	case r.K > 0 && !(r.Neighbours > 0 && r.Neighbours <= 1):
		return fmt.Errorf("invalid Neighbours %v: want a share of more than 0 and at most 1",
			r.Neighbours)
	case r.K == 0 && r.Margin > 0:
		return errors.New("only the K nearest rows can have a Margin: set K, or leave out Margin")
	}
	return margin(r.Margin)
}

func (r Embeddings) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := alike(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.idle = "rows", "a row cannot fail the rule if it has a single feature, or if its "+
		"features are all equal"
	var a, e [][]float64
	var where []string
	for i := range s.expected {
		left, right, err := s.rowsOf(i)
		if err != nil {
			return err
		}
		for row := range right {
			direction := directionOf(right[row])
			if direction == nil {
				return fmt.Errorf("row %d of the expected %q has no direction: it is all zeros or not "+
					"finite", row, s.name)
			}
			is, _ := topIndex(left[row])
			was, _ := topIndex(right[row])
			f.decide(1, one(was != isFlat && r.Cosine > rounding-1))
			e, a = append(e, direction), append(a, directionOf(left[row]))
			if is == isFlat && was != isFlat {
				a[len(a)-1] = nil
			}
			where = append(where, f.row(i, row))
		}
	}
	for i := 1; i < len(e); i++ {
		if len(e[i]) != len(e[0]) {
			return fmt.Errorf("rows with %d and with %d features cannot be compared", len(e[0]), len(e[i]))
		}
	}
	if r.K >= len(e)-1 && r.K > 0 {
		return fmt.Errorf("with K of %d, all of the %d rows are always neighbours of each other: set a "+
			"smaller K, or use more rows", r.K, len(e))
	}
	r.similar(a, e, where, f)
	if r.K > 0 {
		r.neighbours(a, e, where, f)
	}
	return nil
}

// similar computes the similarity of each row with its expected row.
func (r Embeddings) similar(a, e [][]float64, where []string, f *Findings) {
	lowest, sum := 1., 0.
	for i := range e {
		similarity := -1.
		switch {
		case slices.Equal(a[i], e[i]):
			similarity = 1 // without a rounding error
		case a[i] != nil:
			similarity = product(a[i], e[i])
		}
		lowest, sum = math.Min(lowest, similarity), sum+similarity
		switch {
		case a[i] == nil:
			f.flip(Flip{where[i], "no direction", "one", inf, false})
		case similarity < r.Cosine-rounding:
			f.flip(Flip{where[i], "cosine " + figures.Short(similarity),
				"at least " + figures.Exact(r.Cosine), inf, false})
		}
	}
	f.tell("least cosine", lowest)
	f.tell("mean cosine", sum/float64(len(e)))
}

// rounding bounds the rounding error of a cosine computed in float64.
const rounding = 1e-12

// neighbours compares the nearest rows of each row on the two sides.
func (r Embeddings) neighbours(a, e [][]float64, where []string, f *Findings) {
	unchanged, excused, fixed := 0, 0, 0
	var worst Flip
	for i := range e {
		before, similarities := nearest(e, i, r.K)
		var after []int
		if a[i] != nil {
			after, _ = nearest(a, i, r.K)
		}
		far := 0 // rows too far away to be excused as neighbours
		for n, v := range similarities {
			if n != i && !slices.Contains(before, n) && gap(similarities[before[0]], v) > r.Margin {
				far++
			}
		}
		fixed += max(0, r.K-far)
		lost := slices.IndexFunc(before, func(n int) bool { return !slices.Contains(after, n) })
		for _, n := range after {
			if slices.Contains(before, n) {
				unchanged++
			} else if by := gap(similarities[before[lost]], similarities[n]); by <= r.Margin {
				excused++
			} else if by > worst.Margin {
				worst = Flip{where[i], "neighbour " + strconv.Itoa(n), strconv.Itoa(before[lost]), by, false}
			}
		}
	}
	all := float64(r.K * len(e))
	f.tell("share of nearest neighbours unchanged", float64(unchanged)/all)
	f.tell("share of nearest neighbours replaced by almost equally near rows", float64(excused)/all)
	f.atLeast("share of nearest neighbours unchanged or replaced by almost equally near rows",
		float64(unchanged+excused)/all, r.Neighbours, float64(fixed)/all)
	if worst.Where != "" {
		f.Notes = append(f.Notes, "the replaced neighbour with the largest margin: "+worst.String())
	}
}

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

// nearest returns the k rows closest to row i, and the similarity of every row with row i. Rows
// without a direction (nil) are not neighbours of any row.
func nearest(all [][]float64, i, k int) (rows []int, similarities []float64) {
	similarities = make([]float64, len(all))
	for j := range all {
		if similarities[j] = math.Inf(-1); j != i && all[j] != nil {
			similarities[j] = product(all[i], all[j])
		}
	}
	return largest.Indices(similarities, k), similarities
}
