package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/figures"
)

// SideValues contains the mean and the standard deviation of one side's finite values, in float64.
// Both are NaN if no value is finite. StdDev is the population standard deviation, like NumPy's
// std.
type SideValues struct {
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"std"`
}

// BothValues describes the values of both sides.
type BothValues struct {
	Actual   SideValues `json:"actual"`
	Expected SideValues `json:"expected"`
}

// String returns text such as "mean 0.5, std 0.25".
func (s SideValues) String() string {
	return fmt.Sprintf("mean %s, std %s", figures.Short(s.Mean), figures.Short(s.StdDev))
}

// deviations contains the number of finite values n, their mean, and Σ(x−mean)². These can be
// combined for two parts of a tensor by Chan's formula. odd is true if a value was not finite.
type deviations struct {
	n, mean, squares float64
	odd              bool
}

func (d *deviations) values() SideValues {
	if d.n == 0 {
		return SideValues{nan, nan}
	}
	return SideValues{d.mean, math.Sqrt(d.squares / d.n)}
}

// deviationsOf returns the deviations of the finite values in one chunk. If odd is true, it expects
// values that are not finite, and skips the faster attempt for finite values only.
func deviationsOf[F float32 | float64](values []F, odd bool) deviations {
	if len(values) == 0 {
		return deviations{}
	}
	n, near := len(values), float64(values[0]) // or the squares would lose digits
	var sum, squares float64
	if !odd {
		sum, squares = sumsOf(values, near)
		odd = sum-sum != 0
	}
	if odd {
		first := slices.IndexFunc(values, func(v F) bool { return v-v == 0 })
		if first < 0 {
			return deviations{odd: true}
		}
		near = float64(values[first])
		n, sum, squares = finiteSumsOf(values, near)
	}
	return deviations{float64(n), near + sum/float64(n),
		max(0, squares-float64(sum*sum/float64(n))), odd}
}

// finiteSumsOf returns n, the number of finite values, and the sums that sumsOf would return for
// these values. It does not branch on the values, because the processor would mispredict if many
// values are NaN.
func finiteSumsOf[F float32 | float64](values []F, near float64) (n int, sum, squares float64) {
	s0, s1, s2, s3, q0, q1, q2, q3 := 0., 0., 0., 0., 0., 0., 0., 0.
	for ; len(values) >= 4; values = values[4:] {
		a, x := finiteFrom(values[0], near)
		b, y := finiteFrom(values[1], near)
		c, z := finiteFrom(values[2], near)
		d, w := finiteFrom(values[3], near)
		n += x + y + z + w
		s0, q0 = s0+a, q0+float64(a*a)
		s1, q1 = s1+b, q1+float64(b*b)
		s2, q2 = s2+c, q2+float64(c*c)
		s3, q3 = s3+d, q3+float64(d*d)
	}
	for _, v := range values {
		d, x := finiteFrom(v, near)
		n, s0, q0 = n+x, s0+d, q0+float64(d*d)
	}
	return n, s0 + s1 + s2 + s3, q0 + q1 + q2 + q3
}

// finiteFrom returns v−near and 1 if v is finite, and zeros otherwise.
func finiteFrom[F float32 | float64](v F, near float64) (d float64, finite int) {
	key := int64(math.Float64bits(float64(v))) &^ math.MinInt64
	mask := (key - infinityKey) >> 63 // all bits are 1 if v is finite, or else 0
	return math.Float64frombits(math.Float64bits(float64(v)-near) & uint64(mask)), int(-mask)
}

// sumsOf returns Σ(x−near) and Σ(x−near)² in float64. It uses four partial sums for each, because a
// processor can work on several sums at once.
func sumsOf[F float32 | float64](values []F, near float64) (sum, squares float64) {
	s0, s1, s2, s3, q0, q1, q2, q3 := 0., 0., 0., 0., 0., 0., 0., 0.
	for ; len(values) >= 4; values = values[4:] {
		a, b := float64(values[0])-near, float64(values[1])-near
		c, d := float64(values[2])-near, float64(values[3])-near
		// The conversions force rounding, so that no processor fuses the additions.
		s0, q0 = s0+a, q0+float64(a*a)
		s1, q1 = s1+b, q1+float64(b*b)
		s2, q2 = s2+c, q2+float64(c*c)
		s3, q3 = s3+d, q3+float64(d*d)
	}
	for _, v := range values {
		d := float64(v) - near
		s0, q0 = s0+d, q0+float64(d*d)
	}
	return s0 + s1 + s2 + s3, q0 + q1 + q2 + q3
}

func (d *deviations) add(other deviations) {
	d.odd = d.odd || other.odd
	if other.n == 0 {
		return
	}
	if d.n == 0 {
		d.n, d.mean, d.squares = other.n, other.mean, other.squares
		return
	}
	n, delta := d.n+other.n, other.mean-d.mean
	d.mean += delta * other.n / n
	d.squares += other.squares + delta*delta*d.n*other.n/n
	d.n = n
}
