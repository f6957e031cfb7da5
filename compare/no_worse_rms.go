package compare

import (
	"fmt"
	"iter"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// scaledErrors are errors in units of each element's σ.
type scaledErrors struct {
	actual   []float64
	rounded  [][]float64
	allowed  []float64 // the mean squares of the rounded runs
	greatest float64   // of the rounded runs
	widen    float64   // the bars of the root mean square
}

// part is the elements at one index of an axis, inner numbers being next to each other.
type part struct{ axis, index, count, inner int }

// blocks are the bounds of the part's blocks among n elements.
func (p part) blocks(n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := p.index * p.inner; from < n; from += p.count * p.inner {
			if !yield(from, from+p.inner) {
				return
			}
		}
	}
}

// rmsError is the root mean square of errors over the rounded runs', and its bar.
type rmsError struct {
	of                      part
	ratio, bar, independent float64
}

// overBar is 0 for the zero value.
func (r rmsError) overBar() float64 { return ratio(r.ratio, r.bar) }

// String is the figures.
func (r rmsError) String() string {
	return fmt.Sprintf("%s times the format's (bar %s)", figures.Short(r.ratio), figures.Short(r.bar))
}

// mostWorse is how many times the format's error an engine's may be: good engines of one format
// differ up to 1.3 times by what they round.
const mostWorse = 1.5

// rms judges a part, with a probability of false alarm.
func (e *scaledErrors) rms(of part, share float64) rmsError {
	n := len(e.rounded)
	own, allowed := 0.0, 0.0
	products := make([][]float64, n)
	for k := range products {
		products[k] = make([]float64, n)
	}
	for from, to := range of.blocks(len(e.actual)) {
		for i := from; i < to; i++ {
			own, allowed = own+float64(e.actual[i]*e.actual[i]), allowed+e.allowed[i]
		}
		for k, a := range e.rounded {
			for l, b := range e.rounded[:k+1] {
				for i := from; i < to; i++ {
					products[k][l] += float64(a[i] * b[i])
				}
			}
		}
	}
	greatest := 0.0
	for k := range products {
		greatest = max(greatest, ratio(products[k][k], allowed))
		for l := range k {
			products[l][k] = products[k][l]
		}
	}
	f := freedom(products, float64(len(e.actual)/of.count))
	return rmsError{of: of, ratio: ratio(math.Sqrt(own), math.Sqrt(allowed)), independent: f,
		bar: e.widen * mostWorse * math.Sqrt(max(greatest, fQuantile(share, f, f*float64(n))))}
}

// worst is the part of an axis that is furthest above its bar, or former. No bar is below
// [mostWorse], so parts that cannot be the worst are not judged.
func (e *scaledErrors) worst(former rmsError, axis part, share float64) rmsError {
	own, allowed := make([]float64, axis.count), make([]float64, axis.count)
	for i, d := range e.actual {
		at := i / axis.inner % axis.count
		own[at], allowed[at] = own[at]+float64(d*d), allowed[at]+e.allowed[i]
	}
	for at := range own {
		least := e.widen * mostWorse * max(1, former.overBar())
		if !(ratio(math.Sqrt(own[at]), math.Sqrt(allowed[at])) > least) {
			continue
		}
		axis.index = at
		if r := e.rms(axis, share); r.overBar() > former.overBar() {
			former = r
		}
	}
	return former
}

// freedom is how many independent elements have a sum of squares that varies as much from run to
// run, up to most: ν = E(S)²·2/Var(S). For normal errors with covariance C about a mean b that all
// runs share, Var(S) is 2·tr(C²) + 4·bᵀCb, which the mean of the squared products of two runs
// exceeds by |b|⁴, the mean of the products of four runs in two pairs. It has no bias, and wants no
// more than four runs.
func freedom(products [][]float64, most float64) float64 {
	n := float64(len(products))
	trace, sum, squares, rows := 0.0, 0.0, 0.0, 0.0
	for k, row := range products {
		trace += row[k] / n
		one := -row[k]
		for l, product := range row {
			one += product
			if l != k {
				squares += float64(product * product)
			}
		}
		sum, rows = sum+one, rows+float64(one*one)
	}
	if trace == 0 {
		return 1
	}
	pairs := (float64(sum*sum) - float64(4*rows) + float64(2*squares)) /
		(n * (n - 1) * (n - 2) * (n - 3))
	trace *= trace
	return trace / min(trace, max(trace/most, squares/(n*(n-1))-pairs))
}
