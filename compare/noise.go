package compare

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Noise says how much rounding alone changes the outputs of one model on given inputs. It is the
// spread of several runs that differ only by rounding. Package noise measures it, and [WithinNoise]
// derives its limits from it.
type Noise struct {
	// Runs is the number of runs from which the spread was computed.
	Runs int `json:"runs"`
	// Addends is the number of terms, K, in the longest dot product that is visible in the model file;
	// see [Noise.Sums].
	Addends int `json:"addends"`
	// Reordered says that the runs added up terms in random orders, so that the spread includes the
	// rounding errors of sums.
	Reordered bool `json:"reordered,omitempty"`
	// Convolved is the number of terms in the longest sum of a convolution.
	Convolved int `json:"convolved,omitempty"`
	// Sequential is the largest number of terms that one of the compared engines may add one after
	// the other, or 0 if none adds more of them than the runs did.
	Sequential int `json:"-"`
	// Moved says which numbers the runs changed by a rounding error, instead of reordering sums, and
	// why. It is "" if there are none.
	Moved string `json:"moved,omitempty"`
	// Unseen counts, by operator, the nodes whose rounding errors the spread may not include, because
	// the node's result jumps at a step or because the node adds up activations.
	Unseen map[string]int `json:"unseen,omitempty"`
	// Outputs contains the noise of each output, by iteration.
	Outputs [][]OutputNoise `json:"outputs"`
}

// OutputNoise is the noise of one output of one iteration.
type OutputNoise struct {
	Name  string       `json:"name"`
	Shape tensor.Shape `json:"shape"`
	// Sigma is the standard deviation of each element. The variance is the element's own variance,
	// shrunk towards the mean variance of a group of elements. A group is the whole output, or the
	// elements at one index along an axis; the division into groups whose variances are the most even
	// is used. Sigma is empty for integers, bools and strings.
	Sigma []float64 `json:"sigma,omitempty"`
	// RMS is the root mean square of the elements' own standard deviations.
	RMS float64 `json:"rms"`
	// Independent is the number of elements that change independently of each other, as far as the
	// runs show: tr(C)²/tr(C²) for the elements' covariance C. 1 means that all elements change
	// together.
	Independent float64 `json:"independent"`
	// Prior is the weight, in runs, that a group's mean variance has in Sigma. It is large if the
	// elements of a group have similar variances, and small otherwise.
	Prior float64 `json:"prior"`
	// Unsettled lists the elements that rounding alone flips: integers, bools and strings that
	// differ between the runs, and floats that are finite in only some runs.
	Unsettled []int `json:"unsettled,omitempty"`
}

// leastRuns is the smallest number of runs from which a spread is computed, and the smallest number
// of Runs in a [LowerPrecision].
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
		return nil, errors.New("compare: the runs have no iterations, so noise cannot be measured")
	}
	n := &Noise{Runs: len(runs), Addends: addends, Unseen: unseenOf(operators)}
	for i := range runs[0] {
		samples := make([]*tensor.Set, len(runs))
		for k, run := range runs {
			if len(run) != len(runs[0]) {
				return nil, fmt.Errorf("compare: the runs differ in their number of iterations: %d and %d",
					len(runs[0]), len(run))
			}
			var err error
			if samples[k], err = sets.Stacked(run[i]); err != nil {
				return nil, fmt.Errorf("compare: %w", err)
			}
		}
		var outputs []OutputNoise
		for _, v := range runs[0][i].Values() {
			one := make([]*tensor.Tensor, len(runs))
			for k := range runs {
				one[k], _ = samples[k].Get(v.Name)
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

// Validate returns an error if noise that was read from a file has too few runs, or an output whose
// numbers do not fit the output's shape.
func (n *Noise) Validate() error {
	if n == nil || len(n.Outputs) == 0 {
		return errors.New("there is no noise to judge by: measure it with noise.Of")
	}
	if n.Runs < leastRuns || n.Addends < 0 {
		return fmt.Errorf("noise from %d runs, with %d terms per sum: want at least %d runs, and 0 or "+
			"more terms", n.Runs, n.Addends, leastRuns)
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

func (o *OutputNoise) unsettled() map[int]bool {
	set := make(map[int]bool, len(o.Unsettled))
	for _, i := range o.Unsettled {
		set[i] = true
	}
	return set
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
		return fmt.Errorf("expected Independent to be at least 1 and Prior above 2, got %v and %v",
			o.Independent, o.Prior)
	}
	for _, i := range o.Unsettled {
		if i < 0 || i >= elements {
			return fmt.Errorf("no element %d", i)
		}
	}
	return nil
}

// The constants in the first two formulas of [Noise.Sums]. Results from two engines differ more
// than results from two summation orders in one engine, so σ is multiplied by unseenOrders. If the
// model has sums that cannot be reordered, for example in an LSTM, σ is multiplied by unseenMoves
// instead. With these factors, 800 correct results from 149 models all pass. mostAddends is the
// number of terms in the longest sum that was tried.
const (
	unseenOrders = 1.5
	unseenMoves  = 2
	seenAddends  = 1 << 12
	mostAddends  = 1 << 16
)

// Sums returns the factor by which σ is widened for summation errors that the measured runs do not
// show. It depends on what these runs changed, and on K, the largest number of terms in a sum:
//
//	the measured runs change                         factor
//	the order of all sums                            1.5·√(1 + min(K, 65536)/4096)
//	the order of some sums, the operands of others   2·√(1 + min(K, 65536)/4096)
//	only operands, each by one rounding error        √(1 + K/24)
//
// [Noise.Reordered] and [Noise.Moved] say what the runs change. Sums returns at least √(1 + S/24),
// where S is [Noise.Sequential].
//
// A measured run that changes operands shifts each addend once, by one unit in the last place. An
// engine that adds K terms one after the other rounds an addend K/2 times on average, each time
// with a variance of 1/12 unit². This is the backward error √K·u of Higham and Mary (2019). The 24
// in the formula assumes that the roundings are independent, and that the addends do not all have
// the same sign.
func (n *Noise) Sums() float64 {
	widest := 1.0
	if n.Reordered {
		widest = unseenOrders
		if n.Moved != "" {
			widest = unseenMoves
		}
		widest *= math.Sqrt(1 + float64(float64(min(n.Addends, mostAddends))/seenAddends))
	}
	if !n.Reordered {
		widest = sequentialSums(n.Addends)
	}
	return max(widest, sequentialSums(n.Sequential))
}

func sequentialSums(addends int) float64 { return math.Sqrt(1 + float64(addends)/24) }

// count returns the number of outputs in all iterations.
func (n *Noise) count() (all int) {
	for _, outputs := range n.Outputs {
		all += len(outputs)
	}
	return all
}

// Bar returns the highest of the limits that [WithinNoise] sets for the root mean square errors of
// the float outputs, in units of σ.
func (n *Noise) Bar(bars Bars) (float64, error) {
	if err := n.usable(&bars, Options{}); err != nil {
		return 0, fmt.Errorf("compare: %w", err)
	}
	count, highest := n.count(), 0.0
	for _, outputs := range n.Outputs {
		for i := range outputs {
			if outputs[i].RMS > 0 {
				highest = max(highest, newWithinNoise(n, &outputs[i], bars, count).rmsLimit())
			}
		}
	}
	return highest, nil
}
