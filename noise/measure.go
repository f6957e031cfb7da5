package noise

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Measure runs the subject's model several times and computes how much the outputs vary. It does
// not use the subject's engine, so that an engine's own errors do not count as noise. It uses a
// reference engine: ONNX Runtime on the CPU without optimisation, or the engine given by [In].
//
// In ONNX Runtime, every run of the model rounds in its own way. The terms of sums are added in
// random orders. Random errors, as large as correct engines make, are added to the results of
// functions such as Exp or Softmax. Weights and inputs stay as they are. If the model cannot be
// rewritten like this, or if [In] sets the engine, each run instead moves all weights and inputs of
// 16 bits or more to neighbouring numbers; [compare.Noise.Limits] then says so.
//
// Measure returns an error if the model is not ONNX or does not run in the reference engine, if the
// reference engine computes a float32 or float64 model in a lower precision, if no node rounds, if
// the shape of an output differs between runs, if the model draws random numbers that change its
// outputs, or if an output's noise is as large as the spread of its values.
func Measure(ctx context.Context, subject backends.Subject, options ...Option) (*compare.Noise,
	error) {
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	m, err := newMeter(ctx, subject, s.engine)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	defer m.forget()
	checked, err := m.trusted(ctx)
	if err == nil && checked == 0 && m.wide() {
		err = Float32(ctx, m.engine)
	}
	if err == nil {
		err = Repeats(ctx, m.engine, m.model, fixtures.Of(m.inputs...))
	}
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	noise, outputs, err := m.measure(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	for i, list := range noise.Outputs {
		for k := range list {
			if err := drowned(&list[k], outputs[i]); err != nil {
				return nil, fmt.Errorf("noise: rounding alone changes output %q by %w: instead, compare "+
					"decisions such as classes or tokens, or the output of an earlier layer", list[k].Name, err)
			}
		}
	}
	return noise, nil
}

// meter measures the noise of a model: it runs the model in the reference engine, with changed
// constants or inputs.
type meter struct {
	model    *loaders.Model
	inputs   []*tensor.Set
	engine   backends.Engine
	given    bool // the user chose the engine
	forget   func()
	declared *loaders.Model // see inferred
	bare     form           // see forms
}

func newMeter(ctx context.Context, subject backends.Subject, given backends.Engine) (*meter,
	error) {
	if subject.Model == nil {
		return nil, fmt.Errorf("the run cannot be measured: %w", subject.Repeatable())
	}
	model, err := backends.ONNX("measuring noise", subject.Model)
	if err != nil {
		return nil, err
	}
	inputs, err := subject.Draw()
	if err != nil {
		return nil, err
	}
	m := &meter{model: model, inputs: inputs, engine: given, given: given != nil}
	if m.engine == nil {
		if m.engine, err = reference(subject.Engine); err != nil {
			return nil, err
		}
	}
	m.engine, m.forget, err = backends.ForParts(ctx, m.engine, model, subject.Inputs)
	return m, err
}

// reference returns the default reference engine: ONNX Runtime on the CPU at its lowest
// optimisation level. If the subject's engine runs models in a special way, such as decoders step
// by step, reference returns an engine that runs them in ONNX Runtime in the same way.
func reference(subject backends.Engine) (backends.Engine, error) {
	if err := ort.Available(); err != nil {
		return nil, fmt.Errorf("noise is measured in ONNX Runtime, which is missing (%w); fetch it with "+
			"`modelparity setup`, or, in a spec, choose a different engine with MeasuredIn", err)
	}
	plain := backends.Unshared(ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)))
	if subject == nil {
		return plain, nil
	}
	if driven := backends.CapabilitiesOf(subject).Reference; driven != nil {
		return driven(plain), nil
	}
	return plain, nil
}

// inferred returns the model with the types and shapes of its tensors. ONNX Runtime infers them,
// if possible from the shapes of m.inputs. If the model is large, the returned model may have
// inputs instead of weights ([meter.forms]).
func (m *meter) inferred(ctx context.Context) (*loaders.Model, error) {
	if m.declared != nil {
		return m.declared, nil
	}
	shapes := map[string][]loaders.Dim{}
	for name, t := range m.inputs[0].All() {
		if slices.ContainsFunc(m.inputs, func(set *tensor.Set) bool {
			other, ok := set.Get(name)
			return !ok || !slices.Equal(other.Shape(), t.Shape())
		}) {
			continue
		}
		shapes[name] = []loaders.Dim{}
		for _, size := range t.Shape() {
			shapes[name] = append(shapes[name], loaders.Dim{Size: size})
		}
	}
	forms, err := m.forms()
	if err != nil {
		return nil, err
	}
	for _, f := range forms {
		var sized *loaders.Model
		if sized, err = edit.WithInputShapes(f.model, shapes); err == nil {
			m.declared, err = edit.InferShapes(ctx, sized, ort.EditEngine())
		}
		if err != nil { // the sizes contradict each other
			m.declared, err = edit.InferShapes(ctx, f.model, ort.EditEngine())
		}
		if err == nil {
			break
		}
	}
	return m.declared, err
}

// form is the model and its inputs, either with the weights in the model or with the weights as
// inputs. Both forms give the same results.
type form struct {
	model  *loaders.Model
	inputs []*tensor.Set
}

// forms lists the forms in which to run the model, the best first. A large model is best run with
// its weights as inputs, because a session would otherwise keep a copy of them. The last form keeps
// the weights in the model, because some operators need constants.
func (m *meter) forms() ([]form, error) {
	whole := form{m.model, m.inputs}
	if !m.large() || m.given {
		return []form{whole}, nil
	}
	if m.bare.model == nil {
		bare, weights, err := reorder.Bare(m.model)
		if err != nil {
			return nil, err
		}
		fed := make([]*tensor.Set, len(m.inputs))
		for i, set := range m.inputs {
			added := maps.Clone(weights)
			for name := range set.All() { // the inputs may override weights
				delete(added, name)
			}
			if fed[i], err = sets.With(set, added); err != nil {
				return nil, err
			}
		}
		m.bare = form{bare, fed}
	}
	return []form{m.bare, whole}, nil
}

// large reports whether the model's weights take so much memory that copies of them matter.
func (m *meter) large() bool {
	size, err := m.model.Size()
	return err == nil && size >= largeModel
}

// wide reports whether any input or initializer is a float of 32 bits or more.
func (m *meter) wide() bool {
	isWide := func(t tensor.ElementType) bool { return t.IsFloat() && t.Bits() >= 32 }
	for _, set := range m.inputs {
		for _, t := range set.All() {
			if isWide(t.ElementType()) {
				return true
			}
		}
	}
	wide := false
	err := edit.Constants(m.model, func(c loaders.Constant) error {
		wide = wide || isWide(c.Values.ElementType())
		return nil
	})
	return err == nil && wide
}

// run returns the model's outputs for the given inputs. replace returns the tensor to use instead
// of a constant, or nil to keep the constant.
func (m *meter) run(ctx context.Context, inputs []*tensor.Set,
	replace func(loaders.Constant) (*tensor.Tensor, error)) ([]*tensor.Set, error) {
	outputs, err := backends.RunReweighed(ctx, m.engine, m.model, fixtures.Of(inputs...), replace)
	if m.large() {
		runtime.GC() // free this run's weights before the next run allocates its own
	}
	return outputs, err
}

// largeModel is the size in bytes from which a model counts as large.
const largeModel = 16 << 20

// More runs make the limits of a comparison tighter. A measurement starts with firstRuns runs, and
// adds runs until [compare.Noise.Bar], the highest limit in units of σ, is at most settledBar. It
// takes at most mostRuns runs, and keeps at most mostHeld bytes of outputs in memory.
const (
	firstRuns  = 8
	mostRuns   = 64
	settledBar = 8
	mostHeld   = 1 << 30
)

// measure returns the noise, and the outputs of one of the runs.
func (m *meter) measure(ctx context.Context, s settingsOf) (*compare.Noise, []*tensor.Set,
	error) {
	sampler, err := m.sampler(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer sampler.close()
	operators, err := m.model.Operators()
	if err != nil {
		return nil, nil, err
	}
	var runs [][]*tensor.Set
	held := 0
	for wanted := max(s.runs, firstRuns); ; wanted *= 2 {
		if s.runs > 0 {
			wanted = s.runs
		}
		for len(runs) < wanted {
			outputs, err := sampler.next(ctx)
			if err != nil {
				return nil, nil, fmt.Errorf("measuring run %d: %w", len(runs)+1, err)
			}
			runs = append(runs, outputs)
			held += bytesOf(outputs)
		}
		if s.inside {
			runs = steady(runs)
		}
		noise, err := compare.NoiseOf(runs, sampler.addends, operators)
		if err != nil {
			return nil, nil, err
		}
		noise.Convolved, noise.Reordered, noise.Moved = sampler.convolved, sampler.reordered,
			sampler.moved
		bar, err := noise.Bar(compare.Bars{})
		if err != nil {
			return nil, nil, err
		}
		if s.runs == 0 && bar > settledBar && 2*wanted <= mostRuns && 2*held <= mostHeld {
			continue
		}
		return noise, runs[0], nil
	}
}

func bytesOf(outputs []*tensor.Set) int {
	n := 0
	for _, set := range outputs {
		for _, t := range set.All() {
			n += len(t.Bytes())
		}
	}
	return n
}

// drowned returns an error if the noise of an output is as large as the spread of its values.
func drowned(o *compare.OutputNoise, outputs *tensor.Set) error {
	v, ok := outputs.Value(o.Name)
	if !ok || len(o.Sigma) < 2 || o.RMS == 0 {
		return nil
	}
	t, err := v.Stack()
	if err != nil {
		return err
	}
	sum, squares, n := 0.0, 0.0, 0.0
	for _, x := range t.Float64s() {
		if x-x == 0 {
			sum, squares, n = sum+x, squares+float64(x*x), n+1
		}
	}
	// The spread of one run contains the noise, so the values' own spread is less.
	spread := math.Sqrt(max(0, squares/n-float64(sum/n*(sum/n))-float64(o.RMS*o.RMS)))
	if o.RMS >= spread && o.RMS >= 1e-3*math.Sqrt(squares/n) {
		return fmt.Errorf("%.2g (root mean square), but its values themselves vary by only %.2g", o.RMS,
			spread)
	}
	return nil
}

// ErrExact is the error that [Measure] returns if no node of the model rounds.
var ErrExact = errors.New("no node of the model rounds, so its outputs are exact: compare with " +
	"Within(0, 0, Elementwise) (--atol 0 --rtol 0)")

// errNothingMoves is the error for a model in which no weight and no input can be replaced by a
// neighbouring number.
var errNothingMoves = errors.New("none of the model's weights and inputs can be changed to a " +
	"neighbouring floating-point number, so noise cannot be measured: set a tolerance")
