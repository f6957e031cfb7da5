package noise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Planted describes a fault planted in a model, and the smallest size at which a comparison is
// certain to catch it.
type Planted struct {
	// Constant names the faulty weight tensor.
	Constant string `json:"constant"`
	// Whole means that all weights of the tensor change by the same factor. Otherwise only the weight
	// of the largest magnitude changes.
	Whole bool `json:"whole,omitempty"`
	// Scale means that Constant is the scale of quantised weights. All of it changes.
	Scale bool `json:"scale,omitempty"`
	// Change is the smallest relative change that is caught: 0.01 means 1 %. It is +Inf if even
	// doubling the weights goes unnoticed, for example because the units that use them are never
	// active.
	Change float64 `json:"change"`
}

// String describes the size of the fault in one line. For example, "0.013 % of one weight of
// conv1.weight" means that one weight of conv1.weight changes by 0.013 %.
func (p Planted) String() string {
	if math.IsInf(p.Change, 1) {
		return "even a change of 100 % of " + p.where() + " may be missed"
	}
	return percent(p.Change) + " of " + p.where()
}

// where says which weights change.
func (p Planted) where() string {
	if p.Scale {
		return "the scale " + names.Line(p.Constant)
	}
	if p.Whole {
		return "all weights of " + names.Line(p.Constant)
	}
	return "one weight of " + names.Line(p.Constant)
}

// A fault is certain to be caught if its error is at least sure times the limit. A correct engine's
// own error is at most the limit. Even if it cancels part of the fault's error, the rest is at
// least the limit.
const sure = 2

// places is the number of weight tensors in which a fault is planted.
const places = 3

// Power finds out by experiment which faults [compare.WithinNoise] is certain to catch. It plants
// faults in three weight tensors: the first, the middle and the last of those that Conv, Gemm,
// MatMul and similar nodes multiply by. In each tensor, one fault changes a single weight and
// another all weights; in a quantised tensor, the only fault changes the scale. For each fault,
// Power searches for the smallest change at which the outputs differ from the unchanged model's by
// twice the limits. A correct engine's own rounding errors stay within the limits, apart from false
// alarms, and so cannot hide such a change. Each fault takes about three runs.
//
// Power returns an error for the same reasons as [Measure]. It also returns an error if no node of
// the model multiplies by weights, or if the model contains quantisers that can turn a correct
// engine's rounding errors into errors beyond the noise ([compare.Undecided]).
func Power(ctx context.Context, subject backends.Subject, measured *compare.Noise,
	bars compare.Bars, options ...Option) ([]Planted, error) {
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	m, err := newMeter(ctx, subject, s.engine)
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
	bars  compare.Bars
	base  []*tensor.Set
	// judge returns the largest ratio of an error to its limit. If judge is nil, the limits follow
	// from noise.
	judge func(outputs []*tensor.Set) (float64, error)
}

func (p *power) search(ctx context.Context) ([]Planted, error) {
	if err := p.model.Load(); err != nil {
		return nil, err
	}
	list, err := p.model.File().Factors()
	if err != nil {
		return nil, err
	}
	// The constants that matrix multiplications and convolutions multiply by, directly or after a
	// Transpose, a Cast or a quantiser; for quantised weights their scale. True stands for a scale.
	factors := map[string]bool{}
	for _, f := range list {
		factors[cmp.Or(f.Scale, f.Name)] = f.Scale != ""
	}
	var weights []Planted
	p.base, err = p.run(ctx, p.inputs, func(c loaders.Constant) (*tensor.Tensor, error) {
		if !moves(c.Values.ElementType()) {
			return nil, nil
		}
		scale, factor := factors[c.Name]
		for _, u := range c.Uses {
			factor = factor || u.Addends > 0
			if at, is := scaleInputs[u.Op]; is && at == u.Input {
				scale, factor = true, true
			}
		}
		if factor {
			weights = append(weights, Planted{Constant: c.Name, Scale: scale})
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	if len(weights) == 0 {
		return nil, fmt.Errorf("%w%s", errUnweighted, p.model.File().Unread())
	}
	var found []Planted
	for _, one := range spaced(weights, places) {
		for _, whole := range []bool{false, true} {
			if one.Scale && !whole {
				continue
			}
			one.Whole = whole
			if one.Change, err = p.least(ctx, one, 1e-3); err != nil {
				return nil, err
			}
			found = append(found, one)
		}
	}
	return found, nil
}

var errUnweighted = errors.New("no node of the model multiplies by weights")

// scaleInputs maps an operator on quantised weights to the index of the input for their scale.
var scaleInputs = map[string]int{"QLinearConv": 4, "QLinearMatMul": 4, "QGemm": 4,
	"MatMulNBits": 2}

// spaced returns up to n evenly spaced elements of a list, including the first and the last.
func spaced[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	var taken []T
	for i := range n {
		taken = append(taken, list[i*(len(list)-1)/(n-1)])
	}
	return taken
}

// leastChange is the smallest relative change of weights that is tried. Smaller changes are lost in
// the rounding of weights to float32.
const leastChange = 0x1p-20

// tries is the largest number of runs for each fault.
const tries = 6

// least searches for the smallest change that is caught, beginning with the given change. While
// errors are small, they are proportional to the change, so two or three runs are enough to come
// close.
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
		if !(excess > 0.05) { // too close to the noise to extrapolate
			factor = 100
		}
		if change == leastChange && factor < 1 {
			break
		}
		change = max(leastChange, min(1, change*factor))
	}
	return least, nil
}

// excess returns the largest ratio of an error to its limit, over all outputs of the model with a
// planted fault.
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
	if undecided := (*compare.Undecided)(nil); errors.As(err, &undecided) {
		return 0, fmt.Errorf("the model contains quantisers (%s), so even an error beyond the noise "+
			"does not prove a fault: use the model before quantisation", undecided.Nodes)
	}
	if err != nil {
		return 0, err
	}
	return exceeded(&report), nil
}

// exceeded returns the largest ratio of an error to its limit, over all outputs. Outputs that must
// equal the expected outputs, such as integers, have no ratio. If no output has a ratio and at
// least one output differs, exceeded returns a ratio above [sure].
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

// scaled returns the tensor with all weights, or only the weight of the largest magnitude,
// multiplied by 1+change.
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
	return sets.Pack(t.ElementType(), t.Shape(), values)
}
