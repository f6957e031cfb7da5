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

// visible is the smallest effect that counts as visible, as a multiple of the noise's standard
// deviation.
const visible = 10

// Effect says how much a fault that was planted into a model changes the model's outputs. It is
// measured in ONNX Runtime without optimisation, on inputs that the specs used.
type Effect struct {
	Output string `json:"output,omitempty"` // where the effect is the greatest multiple of σ
	// Sigmas is the change of the output divided by its noise. It is the largest ratio among the
	// elements. If rounding alone makes elements jump, it is the ratio of the root mean squares
	// instead. It is 0 if nothing changes, and -1 if the change is infinite or NaN, or if the
	// output has no noise.
	Sigmas float64 `json:"sigmas"`
	// Change is the largest absolute change of any element of the output. It is -1 if there is no
	// such number: the change is infinite or NaN, or the output is not numeric or has another
	// shape.
	Change float64 `json:"change"`
}

// reference is the engine that runs models with planted faults, to measure the faults' effects. It
// does not optimise, because an optimiser may hide a fault: ONNX Runtime fuses a layer
// normalization even if the operands of its Sub are swapped.
var reference = ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))

// base is a run of a model without a planted fault, on one file of inputs, together with the noise
// that rounding causes in it.
type base struct {
	inputs fixtures.Inputs
	run    *backends.Run
	noise  *compare.Noise // nil if unknown
}

// baseOf returns the unchanged model's run on a file of inputs. The model runs only once for each
// file.
func (s *subject) baseOf(ctx context.Context, file string) (*base, error) {
	if s.base[file] != nil {
		return s.base[file], nil
	}
	b := &base{inputs: fixtures.Load(file)}
	var err error
	b.run, err = backends.RunIn(ctx, reference, loaders.ONNX(s.path), b.inputs)
	if err != nil {
		return nil, err
	}
	if b.noise, err = noise.Of(b.run); err != nil {
		b.noise = nil // every change of an output is then visible
	}
	s.base[file] = b
	return b, context.Cause(ctx)
}

// effectOf returns the largest effect of a fault on any of the inputs that the specs used. mutant
// is the model with the fault. The effect is nil if ONNX Runtime cannot run the original model. If
// it can run the original but not the mutant, effectOf returns an error.
func (s *subject) effectOf(ctx context.Context, mutant *loaders.Model) (worst *Effect, err error) {
	for _, file := range spaced(s.inputs, mostInputs) {
		b, err := s.baseOf(ctx, file)
		if err != nil {
			continue
		}
		run, err := backends.RunIn(ctx, reference, mutant, b.inputs)
		if err != nil {
			return nil, err
		}
		if e := b.effect(run.Outputs()); worst == nil || e.exceeds(*worst) {
			worst = &e
		}
	}
	return worst, context.Cause(ctx)
}

func (e Effect) exceeds(other Effect) bool {
	return other.Sigmas >= 0 && (e.Sigmas < 0 || e.Sigmas > other.Sigmas)
}

// visible reports whether the effect is large enough to be distinguished from the noise.
func (e Effect) visible() bool { return e.Sigmas < 0 || e.Sigmas >= visible }

// effect compares the outputs of the model with a fault and of the run without it, and returns the
// largest effect on any output.
func (b *base) effect(outputs []*tensor.Set) (worst Effect) {
	for i, set := range b.run.Outputs() {
		for name, expected := range set.All() {
			e := Effect{Sigmas: -1, Change: -1}
			actual, ok := outputs[i].Get(name)
			if ok && actual.Shape().Equal(expected.Shape()) {
				e = b.distance(actual, expected, b.noiseOf(i, name))
			}
			if e.Output = name; e.exceeds(worst) {
				worst = e
			}
		}
	}
	return worst
}

// noiseOf returns the noise of an output. It returns an empty value if the noise is unknown.
func (b *base) noiseOf(iteration int, name string) (o compare.OutputNoise) {
	if b.noise == nil || iteration >= len(b.noise.Outputs) {
		return o
	}
	for _, o := range b.noise.Outputs[iteration] {
		if o.Name == name {
			return o
		}
	}
	return o
}

// distance returns the effect of a fault that changes an output from expected to actual.
func (b *base) distance(actual, expected *tensor.Tensor, noise compare.OutputNoise) (e Effect) {
	if expected.ElementType() == tensor.String {
		if !actual.Identical(expected) {
			e.Sigmas, e.Change = -1, -1
		}
		return e
	}
	old, squares := expected.Float64s(), 0.0
	for i, v := range actual.Float64s() {
		if v == old[i] || math.IsNaN(v) && math.IsNaN(old[i]) {
			continue
		}
		d := math.Abs(v - old[i])
		if !(d <= math.MaxFloat64) {
			return Effect{Sigmas: -1, Change: -1}
		}
		sigma := noise.RMS // of elements that happened not to vary
		if i < len(noise.Sigma) && noise.Sigma[i] > 0 {
			sigma = noise.Sigma[i]
		}
		e.Change, squares = max(e.Change, d), squares+float64(d*d)
		e.Sigmas = max(e.Sigmas, d/max(sigma, math.Abs(old[i])*0x1p-24)) // half a unit of float32
	}
	if b.noise != nil && len(b.noise.Unseen) > 0 && noise.RMS > 0 {
		e.Sigmas = math.Sqrt(squares/float64(len(old))) / noise.RMS
	}
	if math.IsInf(e.Sigmas, 1) {
		e.Sigmas = -1
	}
	return e
}
