package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Noise says how much rounding alone changes the outputs of one model on given inputs. It holds
// the spread of runs that differ only by rounding. Package noise measures it, and [WithinNoise]
// derives its limits from it.
type Noise struct {
	// Runs is the number of runs from which the spread was computed.
	Runs int `json:"runs"`
	// Addends is the number of terms, K, in the longest sum of products that is visible in the model
	// file; see [Noise.Sums].
	Addends int `json:"addends"`
	// Reordered says that the runs added up terms in random orders, so the spread includes the
	// rounding errors of sums.
	Reordered bool `json:"reordered,omitempty"`
	// Sequential says that a compared engine adds the terms of a sum one after the other.
	Sequential bool `json:"-"`
	// Moved says, if the runs changed numbers by a rounding error instead of reordering sums, which
	// numbers they changed and why. Otherwise it is "".
	Moved string `json:"moved,omitempty"`
	// Unseen counts, by operator, the nodes whose rounding errors the spread may lack: their result
	// jumps at a step, or they add up activations.
	Unseen map[string]int `json:"unseen,omitempty"`
	// Outputs holds the noise of each output, by iteration.
	Outputs [][]OutputNoise `json:"outputs"`
}

// OutputNoise is the noise of one output of one iteration.
type OutputNoise struct {
	Name  string       `json:"name"`
	Shape tensor.Shape `json:"shape"`
	// Sigma is the standard deviation of each element. The variance is the element's own spread,
	// drawn towards the mean of a group of elements: the elements at the same index along one axis,
	// or the whole output, whichever groups have the most even spread. Sigma is empty for integers,
	// bools and strings.
	Sigma []float64 `json:"sigma,omitempty"`
	// RMS is the root mean square of the elements' own standard deviations.
	RMS float64 `json:"rms"`
	// Independent is the number of elements that spread independently of each other, as far as the
	// runs show: tr(C)²/tr(C²) for their covariance C. 1 means that all move together.
	Independent float64 `json:"independent"`
	// Prior is the weight, in runs, of the group's mean in Sigma: large if all elements of a group
	// have a similar spread, small otherwise.
	Prior float64 `json:"prior"`
	// Unsettled lists the elements that rounding alone flips: integers, bools and strings that
	// differ between the runs, and floats that are finite in only some runs.
	Unsettled []int `json:"unsettled,omitempty"`
}

// everyRun is the value of Prior if chance alone explains how the elements' spreads differ.
const everyRun = 1e6

// leastRuns is the least number of runs from which a spread is computed.
const leastRuns = 4

// NoiseOf computes the noise from the spread of runs that differ only by rounding. Each run is a
// list of iterations. addends is the K of [Noise.Sums]; operators counts the model's nodes by
// operator. It returns an error for fewer than 4 runs, and for runs whose outputs differ in name,
// element type or shape.
func NoiseOf(runs [][]*tensor.Set, addends int, operators map[string]int) (*Noise, error) {
	if len(runs) < leastRuns {
		return nil, fmt.Errorf("compare: noise needs %d runs or more, got %d", leastRuns, len(runs))
	}
	if len(runs[0]) == 0 {
		return nil, errors.New("compare: the runs have no iterations, so there is no noise")
	}
	n := &Noise{Runs: len(runs), Addends: addends, Unseen: unseenOf(operators)}
	for i := range runs[0] {
		samples := make([]map[string]*tensor.Tensor, len(runs))
		for k, run := range runs {
			if len(run) != len(runs[0]) {
				return nil, fmt.Errorf("compare: the runs have %d and %d iterations", len(runs[0]), len(run))
			}
			var err error
			if samples[k], err = stacked(run[i]); err != nil {
				return nil, err
			}
		}
		var outputs []OutputNoise
		for _, v := range runs[0][i].Values() {
			one := make([]*tensor.Tensor, len(runs))
			for k := range runs {
				one[k] = samples[k][v.Name]
			}
			o, err := spreadOf(v.Name, one)
			if err != nil {
				return nil, fmt.Errorf("compare: iteration %d: output %q: %w", i, v.Name, err)
			}
			outputs = append(outputs, o)
		}
		n.Outputs = append(n.Outputs, outputs)
	}
	return n, nil
}

// stacked returns every output as one tensor, including sequences and maps.
func stacked(set *tensor.Set) (map[string]*tensor.Tensor, error) {
	all := map[string]*tensor.Tensor{}
	for _, v := range set.Values() {
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("compare: %s: %w", label(v.Name), err)
		}
		all[v.Name] = t
	}
	return all, nil
}

// spreadOf computes the noise of one output from its tensors, one per run.
func spreadOf(name string, samples []*tensor.Tensor) (OutputNoise, error) {
	first := samples[0]
	for _, s := range samples {
		if s.ElementType() != first.ElementType() || !s.Shape().Equal(first.Shape()) {
			return OutputNoise{}, fmt.Errorf("rounding alone changes its shape, from %v%v to %v%v, so "+
				"it has no spread", first.ElementType(), first.Shape(), s.ElementType(), s.Shape())
		}
	}
	o := OutputNoise{Name: name, Shape: slices.Clone(first.Shape()), Independent: 1, Prior: everyRun}
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
	deviations := make([][]float64, len(samples))
	for k, s := range samples {
		deviations[k] = s.Float64s()
	}
	o.center(deviations)
	return o, o.estimate(deviations, float64(len(samples)-1))
}

// center subtracts each element's mean over the runs. The deviation of an element that is not
// finite in some run is set to 0, and the element is unsettled unless it is the same in every run.
func (o *OutputNoise) center(runs [][]float64) {
	for i := range runs[0] {
		mean, finite, same := 0.0, true, true
		for _, run := range runs {
			finite = finite && !math.IsNaN(run[i]) && !math.IsInf(run[i], 0)
			same = same && (run[i] == runs[0][i] || run[i] != run[i] && runs[0][i] != runs[0][i])
			mean += run[i] / float64(len(runs))
		}
		if !finite && !same {
			o.Unsettled = append(o.Unsettled, i)
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
}

// estimate fills in Sigma, RMS, Independent and Prior from the runs' deviations from their mean.
// m is the number of degrees of freedom of an element's variance.
func (o *OutputNoise) estimate(runs [][]float64, m float64) error {
	n := len(runs[0])
	unit := scaled(runs)      // because squares of tiny numbers would be 0
	own := make([]float64, n) // the unbiased variance of each element
	for _, run := range runs {
		for i, d := range run {
			own[i] += d * d / m
		}
	}
	total := 0.0
	for _, v := range own {
		total += v
	}
	o.Sigma = make([]float64, n)
	switch {
	case total == 0:
		return nil
	case !(total < math.MaxFloat64):
		return errors.New("its spread exceeds float64's range")
	}
	o.RMS = unit * math.Sqrt(total/float64(n))
	o.Independent = independent(runs, total, m)
	pools, poolOf, differ := o.pools(own)
	o.Prior = priorOf(differ, m)
	alone := o.Prior < unlike
	for i, v := range own {
		if alone && v > 0 { // an element that never changed, such as a Relu's 0, gets its group's mean
			o.Sigma[i] = unit * math.Sqrt(v)
			continue
		}
		moderated := (float64((o.Prior-2)*pools[poolOf(i)]) + float64(m*v)) / (o.Prior + m)
		o.Sigma[i] = unit * math.Sqrt(moderated)
	}
	if alone {
		o.Prior = leastPrior
	}
	return nil
}

// priorOf estimates Prior by the method of moments. It assumes that the elements' true variances
// follow an inverse gamma distribution around their group's mean, and that the measured variances
// follow a chi-squared distribution around the true ones.
func priorOf(differ, m float64) float64 {
	if a := differ / (1 + 2/m); a > 1 {
		return min(everyRun, (float64(4*a)-2)/(a-1))
	}
	return everyRun
}

// unlike is the Prior below which the variances of a group differ too much to draw them towards
// their mean: more than a quarter of a small variance would come from the other elements.
const unlike = 4.5

// leastPrior is the value of Prior if each element's Sigma comes from its own spread alone.
const leastPrior = 2 + 1e-6

// scaled divides the deviations by the power of two that brings the greatest near 1, and returns
// that power.
func scaled(runs [][]float64) float64 {
	greatest := 0.0
	for _, run := range runs {
		for _, d := range run {
			greatest = max(greatest, math.Abs(d))
		}
	}
	if greatest == 0 || greatest-greatest != 0 {
		return 1
	}
	exponent := math.Ilogb(greatest)
	for _, run := range runs {
		for i := range run {
			run[i] = math.Ldexp(run[i], -exponent)
		}
	}
	return math.Ldexp(1, exponent)
}

// leastPool is the least number of elements in a pool: a group of elements that share a mean
// variance.
const leastPool = 16

// pools groups the elements into pools: one pool of all elements, or one pool for each index
// along an axis, whichever makes the variances within the pools differ least. It returns the
// pools' mean variances and a function that gives an element's pool. a says how much the
// variances still differ: it is the mean of (variance / pool mean)², which is 1 + 2/m if only
// chance is at work.
func (o *OutputNoise) pools(own []float64) (means []float64, of func(i int) int, a float64) {
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
		fourth, counted := 0.0, 0.0
		for i, v := range own {
			if pool := mean[candidate(i)]; pool > 0 {
				fourth += float64((v / pool) * (v / pool))
				counted++
			}
		}
		if differ := fourth / counted; means == nil || differ < finer*a {
			means, of, a = mean, candidate, differ
		}
	}
	return means, of, a
}

// finer is the factor by which smaller pools must reduce a, because their means are less certain.
const finer = 0.9

// independent estimates tr(C)²/tr(C²) from runs with m degrees of freedom, whose variances add up
// to trace. The estimate of tr(C²) is Srivastava's (2005), which is unbiased even with more
// elements than runs.
func independent(runs [][]float64, trace, m float64) float64 {
	squares := 0.0 // tr(S²) of the runs' covariance S
	for k, a := range runs {
		for l, b := range runs[:k+1] {
			product := 0.0
			for i, d := range a {
				product += float64(d * b[i])
			}
			if product = float64(product * (product / (m * m))); l < k {
				product += product
			}
			squares += float64(product)
		}
	}
	c2 := m * m / ((m - 1) * (m + 2)) * (squares - float64(trace*trace/m))
	n := float64(len(runs[0]))
	if c2 <= trace*trace/n { // no covariance of n elements has less
		return n
	}
	return min(n, max(1, (float64(trace*trace)-float64(2/m*c2))/c2))
}

// Validate returns an error if noise that was read from a file is unusable: it has too few runs,
// or an output's numbers do not fit its shape.
func (n *Noise) Validate() error {
	if n == nil || len(n.Outputs) == 0 {
		return errors.New("there is no noise to judge by: measure it with noise.Of")
	}
	if n.Runs < leastRuns || n.Addends < 0 {
		return fmt.Errorf("noise of %d runs and %d addends: it needs %d runs or more", n.Runs, n.Addends,
			leastRuns)
	}
	for _, outputs := range n.Outputs {
		for i := range outputs {
			if err := outputs[i].validate(); err != nil {
				return fmt.Errorf("the noise of output %q: %w", outputs[i].Name, err)
			}
		}
	}
	return nil
}

func (o *OutputNoise) validate() error {
	elements, err := o.Shape.Elements()
	if err != nil {
		return err
	}
	if len(o.Sigma) != 0 && len(o.Sigma) != elements {
		return fmt.Errorf("it has %d values of σ for %d elements", len(o.Sigma), elements)
	}
	for _, sigma := range o.Sigma {
		if !(sigma >= 0 && sigma <= math.MaxFloat64) {
			return fmt.Errorf("σ is %v", sigma)
		}
	}
	if !(o.Independent >= 1 && o.Prior > 2) {
		return fmt.Errorf("independent %v, prior %v: want at least 1, above 2", o.Independent, o.Prior)
	}
	for _, i := range o.Unsettled {
		if i < 0 || i >= elements {
			return fmt.Errorf("no element %d", i)
		}
	}
	return nil
}

// Random orders in one engine spread the outputs less than changing the engine does. unseenOrders
// is the factor with which 1,000 correct results of 126 models pass. It grows with the length of
// sums: from seenAddends terms on, which ONNX Runtime adds in one pass, to mostAddends, the
// longest sum that was tried.
const (
	unseenOrders = 2
	seenAddends  = 1 << 13
	mostAddends  = 1 << 16
)

// Sums returns the factor by which σ is widened for summation errors that the runs do not show.
// It is 2·√(1 + K/8192) for runs that add up terms in random orders, with K up to 65,536, and √(1
// + K/24) for runs that change numbers by a rounding error. If an engine adds the K terms of a
// sum one after the other, Sums returns the greater of the two factors.
//
// Such a change shifts each addend once, by one unit in the last place. Adding K terms one after
// the other rounds an addend K/2 times on average, each time with a variance of 1/12 unit². This
// is the backward error √K·u of Higham and Mary (2019); the constant holds for independent
// roundings of addends without a common sign.
func (n *Noise) Sums() float64 {
	widest := 1.0
	if n.Reordered {
		widest = unseenOrders * math.Sqrt(1+float64(float64(min(n.Addends, mostAddends))/seenAddends))
	}
	if n.Sequential || !n.Reordered {
		widest = max(widest, sequentialSums(n.Addends))
	}
	return widest
}

func sequentialSums(addends int) float64 { return math.Sqrt(1 + float64(addends)/24) }

// Bar returns the highest limit of a root mean square error, in σ, over all float outputs.
func (n *Noise) Bar(bars NoiseBars) (float64, error) {
	if err := n.usable(&bars, Options{}); err != nil {
		return 0, fmt.Errorf("compare: %w", err)
	}
	count, highest := 0, 0.0
	for _, outputs := range n.Outputs {
		count += len(outputs)
	}
	for _, outputs := range n.Outputs {
		for i := range outputs {
			if outputs[i].RMS > 0 {
				highest = max(highest, newWithinNoise(n, &outputs[i], bars, count).rmsBar())
			}
		}
	}
	return highest, nil
}
