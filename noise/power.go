package noise

import (
	"context"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Planted is a fault and the size from which a comparison is sure to catch it.
type Planted struct {
	// Constant is the weight tensor that the fault is in.
	Constant string
	// Whole is whether all of its weights change by the same factor, or only the one of the greatest
	// magnitude.
	Whole bool
	// Change is the relative change that is caught: 0.01 is 1 %. +Inf means that not even a doubling
	// is, as behind a unit that is never active.
	Change float64
}

// String is the fault in one line: "0.013 % of one weight of conv1.weight".
func (p Planted) String() string {
	if math.IsInf(p.Change, 1) {
		return "no change up to 100 % of " + p.where()
	}
	return percent(p.Change) + " of " + p.where()
}

// where is what changes.
func (p Planted) where() string {
	if p.Whole {
		return "all weights of " + p.Constant
	}
	return "one weight of " + p.Constant
}

// sure is by how much an error must exceed the bars so that a correct engine's own errors, which
// are within the bars, cannot hide it.
const sure = 2

// places is how many weight tensors are tried.
const places = 3

// Power finds by planting what a comparison by measured noise is sure to catch: in the first, the
// middle and the last weight tensor that a Conv, Gemm, MatMul or the like multiplies with, it
// changes one weight, then all, until the outputs differ from the subject's own by twice the bars.
// A planted fault of that size is caught whatever a correct engine's rounding adds, with the same
// probability of false alarm. It takes some three runs for each. Errors are those of [Measure].
func Power(ctx context.Context, subject backends.Subject, measured *compare.Noise,
	bars compare.NoiseBars) ([]Planted, error) {
	m, err := newMeter(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	defer m.forget()
	p := power{meter: m, noise: measured, bars: bars}
	found, err := p.search(ctx)
	if err != nil {
		return nil, fmt.Errorf("noise: power: %w", err)
	}
	return found, nil
}

type power struct {
	*meter
	noise *compare.Noise
	bars  compare.NoiseBars
	base  []*tensor.Set
	// judge is the error of outputs over its bar; nil is by noise.
	judge func(outputs []*tensor.Set) (float64, error)
}

func (p *power) search(ctx context.Context) ([]Planted, error) {
	var weights []string
	var err error
	p.base, err = p.run(ctx, p.inputs, func(c loaders.Constant) (*tensor.Tensor, error) {
		for _, u := range c.Uses {
			if u.Addends > 0 && moves(c.Values.ElementType()) {
				weights = append(weights, c.Name)
				break
			}
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	var found []Planted
	for _, name := range spaced(weights, places) {
		for _, whole := range []bool{false, true} {
			one := Planted{Constant: name, Whole: whole}
			if one.Change, err = p.least(ctx, one, 1e-3); err != nil {
				return nil, err
			}
			found = append(found, one)
		}
	}
	return found, nil
}

// spaced takes up to n of a list, the first and the last among them.
func spaced(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	var taken []string
	for i := range n {
		taken = append(taken, list[i*(len(list)-1)/(n-1)])
	}
	return taken
}

// tries bounds the runs for one fault.
const tries = 6

// least is the least change that was seen to be caught, from a first try on. To first order errors
// grow as the change does, so that two or three runs are near it.
func (p *power) least(ctx context.Context, fault Planted, change float64) (float64, error) {
	least := math.Inf(1)
	for range tries {
		excess, err := p.excess(ctx, fault, change)
		if err != nil {
			return 0, err
		}
		if excess >= sure {
			least = min(least, change)
			if excess < 1.5*sure {
				break
			}
		} else if change >= 1 {
			break
		}
		factor := 1.1 * sure / excess
		if !(excess > 0.05) { // hidden in the noise, which says nothing of the size
			factor = 100
		}
		change = min(1, change*factor)
	}
	return least, nil
}

// excess is the error of a planted fault over its bar, the greatest of all outputs.
func (p *power) excess(ctx context.Context, fault Planted, change float64) (float64, error) {
	outputs, err := p.run(ctx, p.inputs, func(c loaders.Constant) (*tensor.Tensor, error) {
		if c.Name != fault.Constant {
			return nil, nil
		}
		return scaled(c.Values, fault.Whole, change)
	})
	if err != nil {
		return 0, err
	}
	if p.judge != nil {
		return p.judge(outputs)
	}
	report, err := compare.WithinNoise(outputs, p.base, p.noise, p.bars,
		compare.Options{AllowEmpty: true})
	if err != nil {
		return 0, err
	}
	return exceeded(&report), nil
}

// exceeded is the greatest error of all outputs over its bar. Outputs that are compared exactly,
// such as integers, have no such error. They count where no other output does: there, any
// difference is caught.
func exceeded(report *compare.Report) float64 {
	excess, measured, differs := 0.0, false, false
	for i := range report.Outputs {
		differs = differs || report.Outputs[i].Verdict == compare.Fail
		for _, r := range report.Outputs[i].Results {
			if !math.IsNaN(r.Value) {
				excess, measured = max(excess, r.Value), true
			}
		}
	}
	if differs && !measured {
		return 2 * sure
	}
	return excess
}

// scaled multiplies the weight of the greatest magnitude, or all, by 1+change.
func scaled(t *tensor.Tensor, whole bool, change float64) (*tensor.Tensor, error) {
	values := t.Float64s()
	greatest := 0
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[greatest]) {
			greatest = i
		}
	}
	for i := range values {
		if whole || i == greatest {
			values[i] *= 1 + change
		}
	}
	wide, err := tensor.New(t.Shape(), values)
	if err != nil {
		return nil, err
	}
	return wide.Convert(t.ElementType())
}
