package decisions

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// EmbeddingsReport is how alike two sets of embeddings are.
type EmbeddingsReport struct {
	Rows       int     `json:"rows"`
	LeastRow   int     `json:"least_row"` // of the least cosine similarity
	Least      float64 `json:"least"`
	Mean       float64 `json:"mean"`
	Neighbours float64 `json:"neighbours"` // the share of the k nearest rows that stay
}

// Embeddings compares rows of features along the last axis: the cosine similarity of each row with
// its own expected row, and which k other rows are nearest to it, by cosine similarity, on either
// side. k must leave rows out, or no neighbour could change; with k = 0 neighbours are not looked
// at. A row of zeros or with a NaN has no direction, and is an error.
func Embeddings(actual, expected *tensor.Tensor, k int) (EmbeddingsReport, error) {
	a, e, err := bothRows(actual, expected)
	if err != nil {
		return EmbeddingsReport{}, err
	}
	if k < 0 || k > 0 && k >= len(e)-1 {
		return EmbeddingsReport{}, fmt.Errorf("decisions: %d nearest of %d other rows are always the "+
			"same; give a smaller k, or 0", k, len(e)-1)
	}
	if a, err = directions("actual", a); err == nil {
		e, err = directions("expected", e)
	}
	if err != nil {
		return EmbeddingsReport{}, err
	}
	r := EmbeddingsReport{Rows: len(e), Least: math.Inf(1), Neighbours: 1}
	for i := range e {
		similarity := product(a[i], e[i])
		r.Mean += similarity / float64(len(e))
		if similarity < r.Least {
			r.Least, r.LeastRow = similarity, i
		}
	}
	if k > 0 {
		r.Neighbours = 0
		for i := range e {
			before, after := nearest(e, i, k), nearest(a, i, k)
			for _, n := range before {
				if slices.Contains(after, n) {
					r.Neighbours += 1 / float64(k*len(e))
				}
			}
		}
	}
	return r, nil
}

// directions scales every row to length 1.
func directions(what string, all [][]float64) ([][]float64, error) {
	scaled := make([][]float64, len(all))
	for i, row := range all {
		greatest := 0.0
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("decisions: %s: row %d is not finite", what, i)
			}
			greatest = math.Max(greatest, math.Abs(v))
		}
		if greatest == 0 {
			return nil, errors.New("decisions: " + what + ": a row of zeros has no direction")
		}
		scaled[i] = make([]float64, len(row))
		for k, v := range row {
			scaled[i][k] = v / greatest // so that squares neither vanish nor overflow
		}
		length := math.Sqrt(product(scaled[i], scaled[i]))
		for k := range scaled[i] {
			scaled[i][k] /= length
		}
	}
	return scaled, nil
}

func product(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// nearest are the k rows closest to row i.
func nearest(all [][]float64, i, k int) []int {
	similarities := make([]float64, len(all))
	for j := range all {
		similarities[j] = product(all[i], all[j])
	}
	similarities[i] = math.Inf(-1)
	return leaders(similarities, k)
}
