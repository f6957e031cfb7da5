package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// equalPrior is the value of [OutputNoise.Prior] if the variances of the elements differ only by
// chance.
const equalPrior = 1e6

// spreadOf returns the noise of one output, given its value in each run.
func spreadOf(name string, samples []*tensor.Tensor) (OutputNoise, error) {
	first := samples[0]
	for _, s := range samples {
		if s.ElementType() != first.ElementType() || !s.Shape().Equal(first.Shape()) {
			return OutputNoise{}, fmt.Errorf("its type or shape depends on rounding: %v%v in one run, "+
				"%v%v in another, so its noise cannot be measured",
				first.ElementType(), first.Shape(), s.ElementType(), s.Shape())
		}
	}
	o := OutputNoise{Name: name, Shape: slices.Clone(first.Shape()), Independent: 1, Prior: equalPrior}
	if !first.ElementType().IsFloat() {
		for i := range first.Len() {
			for _, s := range samples[1:] {
				if valueOf(s, i) != valueOf(first, i) {
					o.Unsettled = append(o.Unsettled, i)
					break
				}
			}
		}
		return o, nil
	}
	return o, o.estimate(samples, float64(len(samples)-1))
}

// spreadBlock is the number of elements whose deviations are kept in memory at once. In float64,
// the deviations of all elements would take twice as much memory as the runs.
const spreadBlock = 1 << 10

// centered splits the elements into blocks and passes each block to take. There, from is the index
// of the block's first element, and unsettled lists the elements that are finite in only some runs.
// runs contains one slice for each run: how far the block's elements deviate from their means over
// the runs, divided by unit.
func centered(samples []*tensor.Tensor, unit float64,
	take func(from int, runs [][]float64, unsettled []int)) {
	n, runs, by := samples[0].Len(), make([][]float64, len(samples)), 1/unit
	for from := 0; from < n; from += spreadBlock {
		for k, s := range samples {
			runs[k] = runs[k][:0]
			for i := from; i < min(n, from+spreadBlock); i++ {
				runs[k] = append(runs[k], s.Float64At(i))
			}
		}
		unsettled := center(runs, from)
		for _, run := range runs {
			for i := range run {
				run[i] *= by
			}
		}
		take(from, runs, unsettled)
	}
}

// center subtracts from each element its mean over the runs. runs contains one block of a tensor's
// elements for each run, and from is the index of the block's first element in the tensor. An
// element that is not finite in some run gets a deviation of 0. center returns the indices of these
// elements in the tensor, except those that are the same in every run.
func center(runs [][]float64, from int) (unsettled []int) {
	for i := range runs[0] {
		mean, finite, same := 0.0, true, true
		for _, run := range runs {
			finite = finite && !math.IsNaN(run[i]) && !math.IsInf(run[i], 0)
			same = same && alike(run[i], runs[0][i])
			mean += run[i] / float64(len(runs))
		}
		if !finite && !same {
			unsettled = append(unsettled, from+i)
		}
		if same || !finite {
			mean = 0
		}
		for _, run := range runs {
			if run[i] -= mean; same || !finite {
				run[i] = 0
			}
		}
	}
	return unsettled
}

// estimate computes Unsettled, Sigma, RMS, Independent and Prior from the runs. The variance of an
// element has m degrees of freedom.
func (o *OutputNoise) estimate(samples []*tensor.Tensor, m float64) error {
	n, greatest := samples[0].Len(), 0.0
	centered(samples, 1, func(_ int, runs [][]float64, unsettled []int) {
		o.Unsettled = append(o.Unsettled, unsettled...)
		for _, run := range runs {
			greatest = max(greatest, greatestOf(run))
		}
	})
	unit := powerOf(greatest) // or squares of tiny numbers would be 0
	own := make([]float64, n) // the unbiased variance of each element
	tied := make([]bool, n)   // the element is the same in most runs
	products := make([][]float64, len(samples))
	for k := range products {
		products[k] = make([]float64, k+1)
	}
	centered(samples, unit, func(from int, runs [][]float64, _ []int) {
		for i := range runs[0] {
			tied[from+i] = tie(runs, i)
		}
		for k, a := range runs {
			for i, d := range a {
				own[from+i] += d * d / m
			}
			for l, b := range runs[:k+1] {
				product := products[k][l]
				for i, d := range a {
					product += float64(d * b[i])
				}
				products[k][l] = product
			}
		}
	})
	total := 0.0
	for _, v := range own {
		total += v
	}
	o.Sigma = make([]float64, n)
	switch {
	case total == 0:
		return nil
	case !(total < math.MaxFloat64):
		return errors.New("the variance of its elements overflows float64")
	}
	o.RMS = unit * math.Sqrt(total/float64(n))
	o.Independent = independent(products, float64(n), total, m)
	pools, poolOf, differ := o.pools(own, m)
	o.Prior = priorOf(differ, m)
	alone := o.Prior < unequalPrior
	for i, v := range own {
		moderated := (float64((o.Prior-2)*pools[poolOf(i)]) + float64(m*v)) / (o.Prior + m)
		// If the variances differ too much, keep an element's own variance unless it is too small by
		// chance. After a Relu, an element that is 0 in most runs has too small a variance, and one that
		// is 0 in all runs has none.
		if alone && v > 0 && (v > moderated || !tied[i]) {
			moderated = v
		}
		o.Sigma[i] = unit * math.Sqrt(moderated)
	}
	if alone {
		o.Prior = leastPrior
	}
	return nil
}

// tie reports whether element i is the same in more than half of the runs.
func tie(runs [][]float64, i int) bool {
	most, votes := 0.0, 0 // the majority's value, if there is a majority
	for _, run := range runs {
		switch {
		case votes == 0:
			most, votes = run[i], 1
		case run[i] == most:
			votes++
		default:
			votes--
		}
	}
	count := 0
	for _, run := range runs {
		if run[i] == most {
			count++
		}
	}
	return 2*count > len(runs)
}

// priorOf estimates Prior by the method of moments. The model is that the true variances of
// elements follow an inverse gamma distribution about the mean of their group, and that the
// measured variance of an element follows a chi-squared distribution about its true variance.
func priorOf(differ, m float64) float64 {
	if a := differ / (1 + 2/m); a > 1 {
		return min(equalPrior, (float64(4*a)-2)/(a-1))
	}
	return equalPrior
}

// If [OutputNoise.Prior] is below unequalPrior, the variances of the elements in a group differ too
// much to be shrunk towards the group's mean. Each element then keeps its own variance, unless that
// variance is too small by chance.
const unequalPrior = 4.5

// leastPrior is the value of [OutputNoise.Prior] if the elements keep their own variances (see
// [unequalPrior]). It is only just above 2, and Prior must always be above 2.
const leastPrior = 2 + 1e-6

// scaled divides the deviations by a power of two, so that the largest deviation is near 1, and
// returns the power.
func scaled(runs [][]float64) float64 {
	greatest := 0.0
	for _, run := range runs {
		greatest = max(greatest, greatestOf(run))
	}
	unit := powerOf(greatest)
	for _, run := range runs {
		for i := range run {
			run[i] *= 1 / unit
		}
	}
	return unit
}

// powerOf returns a power of two near a number, or 1 if the number is 0 or not finite. The inverse
// of that power is finite.
func powerOf(x float64) float64 {
	if x == 0 || x-x != 0 {
		return 1
	}
	return math.Ldexp(1, max(-1000, min(1000, math.Ilogb(x))))
}

// leastPool is the smallest number of elements in a group (a pool).
const leastPool = 16

// pools splits the elements into groups: one group of all elements, or a group for each index along
// an axis. It chooses the split whose groups have the most even variances. own contains the
// variance of each element, with m degrees of freedom. means contains the mean variance of each
// group, and of(i) is the group of element i. uneven says how much the variances still differ
// within a group: it is the mean over all elements of (v/w)², in which v is the element's variance,
// and w is the mean variance of the other elements in the group. uneven is corrected for the
// uncertainty of w, and is 1 + 2/m on average if all true variances in a group are equal.
func (o *OutputNoise) pools(own []float64, m float64) (means []float64, of func(i int) int,
	uneven float64) {
	inner := len(own)
	for axis := -1; axis < len(o.Shape); axis++ {
		count := 1
		if axis >= 0 {
			count = o.Shape[axis]
			inner /= max(1, count)
			if count < 2 || len(own)/count < leastPool {
				continue
			}
		}
		in := inner
		candidate := func(i int) int { return i / in % count }
		if axis < 0 {
			candidate = func(int) int { return 0 }
		}
		mean := make([]float64, count)
		for i, v := range own {
			mean[candidate(i)] += v * float64(count) / float64(len(own))
		}
		size := float64(len(own) / count)
		fourth, counted := 0.0, 0.0
		for i, v := range own {
			if pool := mean[candidate(i)]; pool > 0 {
				others := pool // without v, which would dominate the mean of a small pool
				if size > 1 {
					others = max((float64(pool*size)-v)/(size-1), leastShare*pool)
				}
				fourth += float64((v / others) * (v / others))
				counted++
			}
		}
		differ := fourth / counted / byOthers(float64((size-1)*m))
		if means == nil || differ < finer*uneven {
			means, of, uneven = mean, candidate, differ
		}
	}
	return means, of, uneven
}

// leastShare keeps a divisor above 0. For each element, the divisor is the mean variance of the
// other elements of its group, but at least leastShare times the mean variance of the whole group.
const leastShare = 1e-12

// byOthers returns the expected value of 1/w², where w is an estimate of a variance whose true
// value is 1. freedom is the number of degrees of freedom of the estimate. It returns 1 for 0
// degrees of freedom, as in a group of one element.
func byOthers(freedom float64) float64 {
	if freedom == 0 {
		return 1
	}
	return freedom * freedom / (max(1, freedom-2) * max(1, freedom-4))
}

// Smaller groups have less certain means. They are therefore chosen only if the differences within
// them are less than this factor times the differences within larger groups.
const finer = 0.9

// independent estimates tr(C)²/tr(C²) for the covariance C of n elements. products[k] contains the
// inner products of run k's deviations with the deviations of runs 0 to k. The variances have m
// degrees of freedom, and trace is their sum. The estimate of tr(C²) is Srivastava's (2005). It has
// no bias, even if there are more elements than runs.
func independent(products [][]float64, n, trace, m float64) float64 {
	squares := 0.0 // tr(S²) of the runs' covariance S
	for k, list := range products {
		for l, product := range list {
			if product = float64(product * (product / (m * m))); l < k {
				product += product
			}
			squares += float64(product)
		}
	}
	c2 := m * m / ((m - 1) * (m + 2)) * (squares - float64(trace*trace/m))
	if c2 <= trace*trace/n { // no covariance of n elements has less
		return n
	}
	return min(n, max(1, (float64(trace*trace)-float64(2/m*c2))/c2))
}
