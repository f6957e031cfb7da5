package compare

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// SideValues is the mean and the standard deviation of one side's finite values, in float64; both
// are NaN where there is none. The deviation is that of the population, as NumPy's std.
type SideValues struct{ Mean, StdDev float64 }

// String is "mean 0.5, std 0.25".
func (s SideValues) String() string {
	return fmt.Sprintf("mean %s, std %s", short(s.Mean), short(s.StdDev))
}

type jsonSideValues struct {
	Mean   float `json:"mean"`
	StdDev float `json:"std"`
}

// MarshalJSON writes both; what is NaN is "NaN".
func (s SideValues) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonSideValues{float(s.Mean), float(s.StdDev)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *SideValues) UnmarshalJSON(text []byte) error {
	var j jsonSideValues
	err := json.Unmarshal(text, &j)
	*s = SideValues{float64(j.Mean), float64(j.StdDev)}
	return err
}

// sideValuesOf is one pass over a tensor, in parts whose means and squares are put together by
// Chan's formula.
func sideValuesOf(t *tensor.Tensor) SideValues {
	if t == nil || t.ElementType() == tensor.String {
		return SideValues{nan, nan}
	}
	var total deviations
	for _, part := range overBlocks(t.Len(), 0, func(lo, hi int, s *scratch) (d deviations) {
		for ; lo < hi; lo += strip {
			d.add(deviationsOf(float64s(t, lo, min(lo+strip, hi), &s.a64)))
		}
		return d
	}) {
		total.add(part)
	}
	if total.n == 0 {
		return SideValues{nan, nan}
	}
	return SideValues{total.mean, math.Sqrt(total.squares / total.n)}
}

// deviations are n values with their mean and Σ(x−mean)².
type deviations struct{ n, mean, squares float64 }

func deviationsOf(values []float64) (d deviations) {
	// A sum that is finite has no infinity and no NaN in it, so its values need no look each.
	if total := sum(values); len(values) > 0 && total-total == 0 {
		d.n, d.mean = float64(len(values)), total/float64(len(values))
		d.squares = sumOfSquares(values, d.mean)
		return d
	}
	for _, v := range values {
		if v-v == 0 { // finite
			d.n++
			d.mean += v
		}
	}
	if d.n == 0 {
		return d
	}
	d.mean /= d.n
	for _, v := range values {
		if v-v == 0 {
			d.squares += (v - d.mean) * (v - d.mean)
		}
	}
	return d
}

// sum is Σx, and sumOfSquares Σ(x−mean)². Four sums at a time do not wait for each other.
func sum(values []float64) (total float64) {
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] {
		a, b, c, d = a+values[0], b+values[1], c+values[2], d+values[3]
	}
	for _, v := range values {
		total += v
	}
	return total + (a + b) + (c + d)
}

func sumOfSquares(values []float64, mean float64) (total float64) {
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] {
		w, x, y, z := values[0]-mean, values[1]-mean, values[2]-mean, values[3]-mean
		a, b, c, d = a+w*w, b+x*x, c+y*y, d+z*z
	}
	for _, v := range values {
		total += (v - mean) * (v - mean)
	}
	return total + (a + b) + (c + d)
}

func (d *deviations) add(other deviations) {
	if other.n == 0 {
		return
	}
	if d.n == 0 {
		*d = other
		return
	}
	n, delta := d.n+other.n, other.mean-d.mean
	d.mean += delta * other.n / n
	d.squares += other.squares + delta*delta*d.n*other.n/n
	d.n = n
}
