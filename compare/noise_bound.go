package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// NoiseBound contains the limits of [WithinNoise] for the errors of one output of one iteration, in
// the output's own unit. The errors of a correct engine exceed a limit only with the false-alarm
// probability.
type NoiseBound struct {
	Name      string
	Iteration int
	// Sigma is the root mean square of the elements' σ, including the last rounding.
	Sigma float64
	// RMS is the limit of the root mean square of the errors.
	RMS float64
	// Elements contains the limit of each element's error. It is +Inf for an element that rounding
	// flips. The slice is empty for integers, bools and strings, which must be equal.
	Elements []float64
}

// Bounds returns the limits for every output whose noise was measured. expected must be the
// expected run of the comparison, with the same iterations. It is an error if a float output has no
// element that is finite in every measured run.
func (n *Noise) Bounds(expected []*tensor.Set, bars Bars) ([]NoiseBound, error) {
	if err := n.usable(&bars, Options{}); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if len(expected) != len(n.Outputs) {
		return nil, fmt.Errorf("compare: the noise was measured for %d iterations, and the run has %d",
			len(n.Outputs), len(expected))
	}
	var bounds []NoiseBound
	for i, set := range expected {
		values, err := sets.Stacked(set)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		for k := range n.Outputs[i] {
			one := &n.Outputs[i][k]
			t, has := values.Get(one.Name)
			if !has || !t.Shape().Equal(one.Shape) || t.ElementType().IsFloat() != one.floats() {
				return nil, fmt.Errorf("compare: the noise was measured for an output %q%v, which the run "+
					"does not have", one.Name, one.Shape)
			}
			w := newWithinNoise(n, one, bars, n.count())
			b, judged := w.bound(t)
			if b.Iteration = i; judged == 0 && len(b.Elements) > 0 {
				none := nothingFinite()
				none.Output, none.Rule = one.Name, w.text()
				return nil, none
			}
			bounds = append(bounds, b)
		}
	}
	return bounds, nil
}

func (o *OutputNoise) floats() bool {
	elements, err := o.Shape.Elements()
	return err == nil && (elements == 0 || len(o.Sigma) > 0)
}

// bound returns the limits for the rule's output, and the number of elements whose errors are
// limited. t contains the expected values.
func (w *withinNoise) bound(t *tensor.Tensor) (b NoiseBound, counted int) {
	b.Name = w.noise.Name
	if len(w.noise.Sigma) == 0 {
		return b, 0
	}
	b.Elements = make([]float64, t.Len())
	for _, i := range w.noise.Unsettled {
		b.Elements[i] = math.Inf(1)
	}
	variances := 0.0
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
		return b, 0
	}
	greatest := w.greatestLimit(counted)
	for i := range b.Elements {
		b.Elements[i] *= greatest
	}
	b.Sigma = math.Sqrt(variances / float64(counted))
	b.RMS = w.rmsLimit() * b.Sigma
	return b, counted
}
