package compare

import (
	"errors"
	"fmt"
	"math"

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
