package compare

import (
	"encoding/json"
	"fmt"
	"math"
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

// deviations are n values with their mean and Σ(x−mean)². Parts are put together by Chan's formula.
type deviations struct{ n, mean, squares float64 }

func (d *deviations) values() SideValues {
	if d.n == 0 {
		return SideValues{nan, nan}
	}
	return SideValues{d.mean, math.Sqrt(d.squares / d.n)}
}

// deviationsOf is those of the finite elements of [lo,hi) on both sides, at most a strip of them;
// none of strings.
func (p *pair) deviationsOf(lo, hi int, s *scratch) [2]deviations {
	if p.arith == inString {
		return [2]deviations{}
	}
	a, b := float64s(p.actual, lo, hi, &s.a64), float64s(p.expected, lo, hi, &s.b64)
	sums := sumsGo(a, b)
	return deviationsIn(a, b, sums, squaresGo(a, b, meansOf(sums, len(a))))
}

// meansOf is the means of n values each, from their sums.
func meansOf(sums [2]float64, n int) [2]float64 {
	return [2]float64{sums[0] / float64(n), sums[1] / float64(n)}
}

// deviationsIn is those of both sides' values, from their sums and the sums of the squares of their
// differences from the means.
func deviationsIn[F float32 | float64](a, b []F, sums, squares [2]float64) (d [2]deviations) {
	means := meansOf(sums, len(a))
	for i, values := range [2][]F{a, b} {
		// A sum that is finite has no infinity and no NaN in it, so its values need no look each.
		if len(a) > 0 && sums[i]-sums[i] == 0 {
			d[i] = deviations{float64(len(a)), means[i], squares[i]}
		} else {
			d[i] = deviationsOfFinite(values)
		}
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

// sideLanes is how many partial sums the sums over one side keep: element i goes to lane i mod 16.
type sideLanes [16]float64

func (l *sideLanes) sum() float64 {
	var eighths lanes
	for i := range eighths {
		eighths[i] = l[i] + l[i+8]
	}
	return eighths.sum()
}

// sumsGo is Σx of both sides in float64.
func sumsGo[F float32 | float64](a, b []F) (sums [2]float64) {
	for i, values := range [2][]F{a, b} {
		var l sideLanes
		sumLanesGo(values, &l)
		sums[i] = l.sum()
	}
	return sums
}

// squaresGo is Σ(x−mean)² of both sides in float64.
func squaresGo[F float32 | float64](a, b []F, means [2]float64) (squares [2]float64) {
	for i, values := range [2][]F{a, b} {
		var l sideLanes
		squareLanesGo(values, means[i], &l)
		squares[i] = l.sum()
	}
	return squares
}

func sumLanesGo[F float32 | float64](values []F, l *sideLanes) {
	for ; len(values) >= len(l); values = values[len(l):] {
		v := values[:len(l)]
		for j := range l {
			l[j] += float64(v[j])
		}
	}
	for j, v := range values {
		l[j] += float64(v)
	}
}

func squareLanesGo[F float32 | float64](values []F, mean float64, l *sideLanes) {
	for ; len(values) >= len(l); values = values[len(l):] {
		v := values[:len(l)]
		for j := range l {
			d := float64(v[j]) - mean
			l[j] += float64(d * d) // rounded by itself, on every processor
		}
	}
	for j, v := range values {
		d := float64(v) - mean
		l[j] += float64(d * d)
	}
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
