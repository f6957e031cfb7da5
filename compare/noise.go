package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Noise is what rounding alone does to the outputs of one model on given inputs: the spread of runs
// that differ by rounding only. Package noise measures it, and [WithinNoise] judges by it.
type Noise struct {
	// Runs is how many runs the spread was taken from.
	Runs int `json:"runs"`
	// Addends is the K of the longest sum of products that the model file shows; see [Noise.Sums].
	Addends int `json:"addends"`
	// Reordered says that the runs summed in random orders, so that they show the errors of sums.
	Reordered bool `json:"reordered,omitempty"`
	// Sequential says that an engine under comparison adds the terms of a sum one after the other.
	Sequential bool `json:"-"`
	// Moved says what the runs moved instead of reordering it, and why. It is "" if nothing moved.
	Moved string `json:"moved,omitempty"`
	// Unseen counts the model's nodes that the spread may not show, by operator: their
	// result jumps at a step, or they add up activations.
	Unseen map[string]int `json:"unseen,omitempty"`
	// Outputs has the outputs of each iteration.
	Outputs [][]OutputNoise `json:"outputs"`
}

// OutputNoise is the noise of one output of one iteration.
type OutputNoise struct {
	Name  string       `json:"name"`
	Shape tensor.Shape `json:"shape"`
	// Sigma is the standard deviation of each element: its own spread, drawn towards the mean of the
	// elements at its index along one axis, or of the whole output, whichever spread most alike. It is
	// empty for an output of integers, bools or strings.
	Sigma []float64 `json:"sigma,omitempty"`
	// RMS is the root of the mean of the squares of the runs' own spread.
	RMS float64 `json:"rms"`
	// Independent is the number of elements that spread independently of each other, as far as the
	// runs show: tr(C)²/tr(C²) for their covariance C. 1 means that all move together.
	Independent float64 `json:"independent"`
	// Prior is how many runs the mean of the channel counts for in Sigma: large if all elements
	// spread alike, small otherwise.
	Prior float64 `json:"prior"`
	// Unsettled are the elements that rounding alone flips: integers, bools and strings that differ
	// between the runs, and elements that are finite in some runs only.
	Unsettled []int `json:"unsettled,omitempty"`
}

// everyRun is Prior where the spread of the elements does not differ by more than chance explains.
const everyRun = 1e6

// leastRuns is how many runs a spread needs.
const leastRuns = 4

// NoiseOf takes the spread of runs, each a list of iterations, that differ by rounding only.
// addends is the K of [Noise.Sums]; operators counts the model's nodes by operator.
// Errors: fewer than 4 runs; runs whose outputs differ in name, element type or shape.
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

// stacked is every output as one tensor, sequences and maps too.
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

// spreadOf is the noise of one output.
func spreadOf(name string, samples []*tensor.Tensor) (OutputNoise, error) {
	first := samples[0]
	for _, s := range samples {
		if s.ElementType() != first.ElementType() || !s.Shape().Equal(first.Shape()) {
			return OutputNoise{}, fmt.Errorf("rounding alone changes its shape, from %v%v to %v%v, so "+
				"no spread can be taken", first.ElementType(), first.Shape(), s.ElementType(), s.Shape())
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

// center subtracts the mean of the runs. Elements that are not finite have no deviation, and are
// unsettled unless they are the same in every run.
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

// estimate fills in Sigma and what it rests on, from the deviations of the runs, whose variance has
// m degrees of freedom.
func (o *OutputNoise) estimate(runs [][]float64, m float64) error {
	n := len(runs[0])
	unit := scaled(runs)      // or squares of tiny numbers would be 0
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
		return errors.New("its spread leaves float64's range")
	}
	o.RMS = unit * math.Sqrt(total/float64(n))
	o.Independent = independent(runs, total, m)
	pools, poolOf, differ := o.pools(own)
	o.Prior = priorOf(differ, m)
	alone := o.Prior < unlike
	for i, v := range own {
		if alone && v > 0 { // an element that never moved, such as a Relu's 0, has only its pool
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

// priorOf is Prior by the method of moments: the variances of elements follow an inverse gamma
// distribution about the mean of their pool, and the runs' own ones a chi-squared distribution
// about those.
func priorOf(differ, m float64) float64 {
	if a := differ / (1 + 2/m); a > 1 {
		return min(everyRun, (float64(4*a)-2)/(a-1))
	}
	return everyRun
}

// unlike is the Prior below which variances are too different to draw them towards their mean: more
// than a quarter of a small one would come from the others.
const unlike = 4.5

// leastPrior is Prior where elements are judged by their own spread.
const leastPrior = 2 + 1e-6

// scaled divides deviations by a power of two, so that the greatest is near 1, and returns it.
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

// leastPool is how many elements a pool needs.
const leastPool = 16

// pools are the mean variances of pools of elements, and the pool that an element belongs to: all
// elements, or those of each index along the axis where the variances within the pools differ
// least. a is how much they still differ: the mean of the squares of variances over their pool's
// mean, which chance alone makes 1 + 2/m.
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

// finer is how much less variances must differ within smaller pools, whose means are less certain.
const finer = 0.9

// independent estimates tr(C)²/tr(C²) from runs with m degrees of freedom, whose variances add up
// to trace. The estimate of tr(C²) is Srivastava's (2005), which has no bias where there are more
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

// Validate finds what is wrong with noise that was read from a file: too few runs, or an output
// whose numbers do not fit its shape.
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
		return fmt.Errorf("%d values of σ for %d elements", len(o.Sigma), elements)
	}
	for _, sigma := range o.Sigma {
		if !(sigma >= 0 && sigma <= math.MaxFloat64) {
			return fmt.Errorf("σ is %v", sigma)
		}
	}
	if !(o.Independent >= 1 && o.Prior > 2) {
		return fmt.Errorf("%v independent elements and a prior of %v runs", o.Independent, o.Prior)
	}
	for _, i := range o.Unsettled {
		if i < 0 || i >= elements {
			return fmt.Errorf("no element %d", i)
		}
	}
	return nil
}

// Random orders of one engine show less than the orders of several engines: unseenOrders is the
// factor that 1,000 correct results of 126 models need. It grows with sums whose length is beyond
// what ONNX Runtime adds in one go, up to the longest that was tried.
const (
	unseenOrders = 2
	seenAddends  = 1 << 13
	mostAddends  = 1 << 16
)

// Sums is the factor by which σ is widened for what the runs do not show: 2·√(1 + K/8192) for runs
// that sum in random orders, with K up to 65,536, and √(1 + K/24) for runs that move numbers. If an
// engine adds the K terms of a sum one after the other, it is the greater of both.
//
// Moving shifts each addend once, by one unit in the last place; a sum of K addends, one after the
// other, rounds an addend K/2 times on average, each time with a variance of 1/12 unit². This is
// the backward error of Higham and Mary (2019), of which √K·u is the size, with its constant worked
// out for independent roundings of addends without a common sign.
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

// Bar returns the highest bar of a root mean square error, in σ, over all outputs of floats.
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
