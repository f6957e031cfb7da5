package compare

import (
	"fmt"
	"iter"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// scaledErrors contains errors divided by their element's σ, over all iterations.
type scaledErrors struct {
	actual   []float64
	rounded  [][]float64
	allowed  []float64 // by element: the mean square of the rounded runs' errors
	greatest float64   // the rounded runs' largest error
	widen    float64   // the factor on the limits of the root mean square
}

// part describes the elements at one index of an axis of length count. They lie in memory in blocks
// of adjacent elements; the field inner is the length of a block.
type part struct{ axis, index, count, inner int }

// blocks yields the bounds of each block of the part in a tensor of n elements.
func (p part) blocks(n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := p.index * p.inner; from < n; from += p.count * p.inner {
			if !yield(from, from+p.inner) {
				return
			}
		}
	}
}

// rmsError is the result for a part of an output. ratio is the root mean square of the engine's
// errors, divided by the root mean square of the errors of [LowerPrecision.Runs]. independent is
// the number of independent errors, called ν in [NoWorseThan].
type rmsError struct {
	of                        part
	ratio, limit, independent float64
}

// overLimit returns ratio/limit, which exceeds 1 if the part fails; it is 0 for the zero value.
func (r rmsError) overLimit() float64 { return ratio(r.ratio, r.limit) }

// String returns the ratio and its limit for a message.
func (r rmsError) String() string {
	return fmt.Sprintf("%s times the error of rounding to the format (limit %s)",
		figures.Short(r.ratio), figures.Short(r.limit))
}

// mostWorse is the largest permitted ratio of an engine's root mean square error to the error that
// its number format alone causes. Good engines of one format round different intermediate values,
// so their errors differ by a factor of up to 1.3.
const mostWorse = 1.5

// mostGreatest is the limit for the ratio of an engine's largest error to the largest error that
// its number format alone causes.
const mostGreatest = 5

// rms compares the root mean square of the errors in a part of the output with its limit. The
// parameter share is the fraction of the false-alarm probability that the part may use.
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
		limit: e.widen * mostWorse * math.Sqrt(max(greatest, fQuantile(share, f, f*float64(n))))}
}

// worst looks for a part of the axis whose ratio of error to limit is larger than the ratio of
// former. It returns the part with the largest ratio, or former if it finds no such part. A limit
// is expensive to compute, but is at least e.widen·[mostWorse]. worst therefore skips two kinds of
// parts without computing their limits: parts that pass even with that smallest limit, and parts
// whose ratio would not exceed the ratio of former even with that smallest limit.
func (e *scaledErrors) worst(former rmsError, axis part, share float64) rmsError {
	own, allowed := make([]float64, axis.count), make([]float64, axis.count)
	for i, d := range e.actual {
		at := i / axis.inner % axis.count
		own[at], allowed[at] = own[at]+float64(d*d), allowed[at]+e.allowed[i]
	}
	for at := range own {
		least := e.widen * mostWorse * max(1, former.overLimit())
		if !(ratio(math.Sqrt(own[at]), math.Sqrt(allowed[at])) > least) {
			continue
		}
		axis.index = at
		if r := e.rms(axis, share); r.overLimit() > former.overLimit() {
			former = r
		}
	}
	return former
}

// freedom estimates ν = E(S)²·2/Var(S), at most the given limit, where S is a sum of squared
// errors. ν is the number of independent elements for which S would vary as much from run to run.
// If the runs' errors are normal with the covariance C and a common mean b, Var(S) is 2·tr(C²) +
// 4·bᵀCb. That equals twice the mean of (x·y)² over pairs of runs, minus 2·|b|⁴, which is estimated
// from products of four different runs. This estimate of Var(S) is unbiased, but needs at least
// four runs.
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

// ratio returns a/b, or 0 if a is 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

func greatestOf(errors []float64) float64 {
	greatest := 0.0
	for _, e := range errors {
		greatest = max(greatest, math.Abs(e))
	}
	return greatest
}

func normOf(errors []float64) float64 {
	squares := 0.0
	for _, e := range errors {
		squares += float64(e * e)
	}
	return math.Sqrt(squares)
}
