package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// NoiseBound is what the errors of a correct engine stay below in one output of one iteration, but
// for the probability of false alarm: the bars of [WithinNoise] in the output's own unit.
type NoiseBound struct {
	Name      string
	Iteration int
	// Sigma is the root mean square of σ, the last rounding included.
	Sigma float64
	// RMS bounds the root mean square of the errors.
	RMS float64
	// Elements bounds the error of each element. It is +Inf where rounding flips the element, and
	// empty for integers, bools and strings, which must be equal.
	Elements []float64
}

// Bounds returns the bounds of every output of the expected runs that the noise was measured on.
func (n *Noise) Bounds(expected []*tensor.Set, bars NoiseBars) ([]NoiseBound, error) {
	if err := n.usable(&bars, Options{}); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if len(expected) != len(n.Outputs) {
		return nil, fmt.Errorf("compare: the noise was measured for %d iterations, and the run has %d",
			len(n.Outputs), len(expected))
	}
	count := 0
	for _, outputs := range n.Outputs {
		count += len(outputs)
	}
	var bounds []NoiseBound
	for i, set := range expected {
		values, err := stacked(set)
		if err != nil {
			return nil, err
		}
		for k := range n.Outputs[i] {
			one := &n.Outputs[i][k]
			t := values[one.Name]
			if t == nil || !t.Shape().Equal(one.Shape) || t.ElementType().IsFloat() != one.floats() {
				return nil, fmt.Errorf("compare: the noise was measured for an output %q%v, which the run "+
					"does not have", one.Name, one.Shape)
			}
			b := newWithinNoise(n, one, bars, count).bound(t)
			b.Iteration = i
			bounds = append(bounds, b)
		}
	}
	return bounds, nil
}

// floats reports whether the output is of floats.
func (o *OutputNoise) floats() bool {
	elements, err := o.Shape.Elements()
	return err == nil && (elements == 0 || len(o.Sigma) > 0)
}

// bound is the bound of the rule's output, whose expected values are t.
func (w *withinNoise) bound(t *tensor.Tensor) NoiseBound {
	b := NoiseBound{Name: w.noise.Name}
	if len(w.noise.Sigma) == 0 {
		return b
	}
	b.Elements = make([]float64, t.Len())
	for _, i := range w.noise.Unsettled {
		b.Elements[i] = math.Inf(1)
	}
	counted, variances := 0, 0.0
	for i := range b.Elements {
		v := t.Float64At(i)
		if math.IsInf(b.Elements[i], 1) || v-v != 0 {
			continue
		}
		b.Elements[i] = math.Hypot(w.noise.Sigma[i], spacing(t.ElementType(), v)/math.Sqrt(12))
		variances += float64(b.Elements[i] * b.Elements[i])
		counted++
	}
	if counted == 0 {
		return b
	}
	greatest := w.greatestBar(counted)
	for i := range b.Elements {
		b.Elements[i] *= greatest
	}
	b.Sigma = math.Sqrt(variances / float64(counted))
	b.RMS = w.rmsBar() * b.Sigma
	return b
}
