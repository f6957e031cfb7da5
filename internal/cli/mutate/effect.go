package mutate

import (
	"context"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// visible is the multiple of the noise's standard deviation from which a mutant is visible.
const visible = 10

// Effect says how far a mutant moves the outputs of its model in ONNX Runtime, on inputs that the
// specs used.
type Effect struct {
	Output string `json:"output,omitempty"` // where the effect is the greatest multiple of σ
	// Sigmas is the largest ratio of an element's change to its noise. It is 0 if nothing changes, and
	// -1 if the change is infinite, NaN, or in an output without noise.
	Sigmas float64 `json:"sigmas"`
	// Change is the largest absolute change of an element of the output; -1 as above.
	Change float64 `json:"change"`
}

// base is the unchanged model's run on one file of inputs, with its noise.
type base struct {
	inputs fixtures.Inputs
	run    *backends.Run
	noise  *compare.Noise // nil if unknown
}

// baseOf runs the unchanged model once per file of inputs.
func (s *subject) baseOf(ctx context.Context, file string) (*base, error) {
	if s.base[file] != nil {
		return s.base[file], nil
	}
	b := &base{inputs: fixtures.Load(file)}
	var err error
	if b.run, err = ort.Run(ctx, loaders.ONNX(s.path), b.inputs); err != nil {
		return nil, err
	}
	if b.noise, err = noise.Of(b.run); err != nil {
		b.noise = nil // every change of an output is then visible
	}
	s.base[file] = b
	return b, context.Cause(ctx)
}

// effectOf returns the mutant's greatest effect on any of the recorded inputs. known is false if
// ONNX Runtime cannot run the original. It is an error if it runs the original but not the mutant.
func (s *subject) effectOf(ctx context.Context, mutant *loaders.Model) (worst Effect, known bool,
	err error) {
	for _, file := range spaced(s.inputs, mostInputs) {
		b, err := s.baseOf(ctx, file)
		if err != nil {
			continue
		}
		run, err := ort.Run(ctx, mutant, b.inputs)
		if err != nil {
			return worst, false, err
		}
		if e := b.effect(run.Outputs()); !known || e.exceeds(worst) {
			worst, known = e, true
		}
	}
	return worst, known, context.Cause(ctx)
}

func (e Effect) exceeds(other Effect) bool {
	return other.Sigmas >= 0 && (e.Sigmas < 0 || e.Sigmas > other.Sigmas)
}

// visible reports whether the effect is above the noise.
func (e Effect) visible() bool { return e.Sigmas < 0 || e.Sigmas >= visible }

// effect compares outputs with the base run.
func (b *base) effect(outputs []*tensor.Set) (worst Effect) {
	for i, set := range b.run.Outputs() {
		for name, expected := range set.All() {
			e := Effect{Output: name, Sigmas: -1, Change: -1}
			actual, ok := outputs[i].Get(name)
			if ok && actual.Shape().Equal(expected.Shape()) {
				e.Sigmas, e.Change = distance(actual, expected, b.sigmas(i, name))
			}
			if e.exceeds(worst) {
				worst = e
			}
		}
	}
	return worst
}

// sigmas returns the standard deviation of each element of an output, or nil.
func (b *base) sigmas(iteration int, name string) []float64 {
	if b.noise == nil || iteration >= len(b.noise.Outputs) {
		return nil
	}
	for _, o := range b.noise.Outputs[iteration] {
		if o.Name == name {
			return o.Sigma
		}
	}
	return nil
}

// distance returns the greatest ratio of a change to its σ, and the greatest change. Each is -1 if
// it is not finite.
func distance(actual, expected *tensor.Tensor, sigma []float64) (sigmas, change float64) {
	if expected.ElementType() == tensor.String {
		if actual.Identical(expected) {
			return 0, 0
		}
		return -1, -1
	}
	old := expected.Float64s()
	for i, v := range actual.Float64s() {
		if v == old[i] || math.IsNaN(v) && math.IsNaN(old[i]) {
			continue
		}
		d, least := math.Abs(v-old[i]), math.Abs(old[i])*0x1p-24 // half a unit of float32
		if i < len(sigma) {
			least = max(least, sigma[i])
		}
		ratio := d / least
		if !(ratio <= math.MaxFloat64) {
			sigmas = -1
		} else if sigmas >= 0 {
			sigmas = max(sigmas, ratio)
		}
		if !(d <= math.MaxFloat64) {
			change = -1
		} else if change >= 0 {
			change = max(change, d)
		}
	}
	return sigmas, change
}
