package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// SideValues holds the mean and the standard deviation of one side's finite values, in float64;
// both are NaN if no value is finite. StdDev is the population standard deviation, like NumPy's
// std.
type SideValues struct{ Mean, StdDev float64 }

// String returns text such as "mean 0.5, std 0.25".
func (s SideValues) String() string {
	return fmt.Sprintf("mean %s, std %s", figures.Short(s.Mean), figures.Short(s.StdDev))
}

// deviations holds the number of values n, their mean, and Σ(x−mean)². Chan's formula combines the
// deviations of two parts.
type deviations struct{ n, mean, squares float64 }

func (d *deviations) values() SideValues {
	if d.n == 0 {
		return SideValues{nan, nan}
	}
	return SideValues{d.mean, math.Sqrt(d.squares / d.n)}
}

// deviationsOf returns the deviations of the finite values in one strip, for both sides.
func deviationsOf[F float32 | float64](a, b []F) (d [2]deviations) {
	for i, values := range [2][]F{a, b} {
		sum := sumOf(values)
		if len(values) == 0 || sum-sum != 0 { // some value is infinite or NaN
			d[i] = deviationsOfFinite(values)
			continue
		}
		mean := sum / float64(len(values))
		d[i] = deviations{float64(len(values)), mean, squaresOf(values, mean)}
	}
	return d
}

func deviationsOfFinite[F float32 | float64](values []F) (d deviations) {
	for _, v := range values {
		if v-v == 0 { // finite
			d.n++
			d.mean += float64(v)
		}
	}
	if d.n == 0 {
		return d
	}
	d.mean /= d.n
	for _, v := range values {
		if v-v == 0 {
			d.squares += float64((float64(v) - d.mean) * (float64(v) - d.mean))
		}
	}
	return d
}

// sideLanes holds the partial sums of a sum over one side: element i is added to lane i mod 16.
type sideLanes [16]float64

func (l *sideLanes) sum() float64 {
	var eighths lanes
	for i := range eighths {
		eighths[i] = l[i] + l[i+8]
	}
	return eighths.sum()
}

// sumOf returns Σx in float64.
func sumOf[F float32 | float64](values []F) float64 {
	var l sideLanes
	for ; len(values) >= len(l); values = values[len(l):] {
		v := values[:len(l)]
		for j := range l {
			l[j] += float64(v[j])
		}
	}
	for j, v := range values {
		l[j] += float64(v)
	}
	return l.sum()
}

// squaresOf returns Σ(x−mean)² in float64.
func squaresOf[F float32 | float64](values []F, mean float64) float64 {
	var l sideLanes
	for ; len(values) >= len(l); values = values[len(l):] {
		v := values[:len(l)]
		for j := range l {
			d := float64(v[j]) - mean
			l[j] += float64(d * d) // the conversion forces rounding, so no processor fuses the addition
		}
	}
	for j, v := range values {
		d := float64(v) - mean
		l[j] += float64(d * d)
	}
	return l.sum()
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
