package noise

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Measure runs the subject's model [Runs] times in its engine. Each run moves all constants and
// inputs of 16 bits or more to neighbouring numbers. The spread of the outputs is the noise.
// Initializers and the values of Constant nodes move, including those in subgraphs and functions;
// settings such as a Resize's factors do not. Use an engine that is known to be correct.
//
// It fails if the subject cannot be run again or is not ONNX, if the engine computes a float32 or
// float64 model in lower precision, if no constant or input can move, if the engine rejects a
// changed model, or if outputs change their shape.
func Measure(ctx context.Context, subject backends.Subject, options ...Option) (*compare.Noise,
	error) {
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	m, err := newMeter(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	defer m.forget()
	if m.wide() {
		if err := Float32(ctx, m.engine); err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
	}
	noise, err := m.measure(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	return noise, nil
}

// meter runs changed copies of one model in one engine.
type meter struct {
	model  *loaders.Model
	inputs []*tensor.Set
	engine backends.Engine
	forget func()
}

func newMeter(ctx context.Context, subject backends.Subject) (*meter, error) {
	if err := subject.Repeatable(); err != nil {
		return nil, fmt.Errorf("the run cannot be measured: %w", err)
	}
	model, err := backends.ONNX("measuring noise", subject.Model)
	if err != nil {
		return nil, err
	}
	inputs, err := subject.Draw()
	if err != nil {
		return nil, err
	}
	engine, forget, err := backends.ForParts(ctx, subject.Engine, model, subject.Inputs)
	if err != nil {
		return nil, err
	}
	return &meter{model: model, inputs: inputs, engine: engine, forget: forget}, nil
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

// run returns the model's outputs for changed constants and inputs.
func (m *meter) run(ctx context.Context, inputs []*tensor.Set,
	replace func(loaders.Constant) (*tensor.Tensor, error)) ([]*tensor.Set, error) {
	outputs, err := backends.RunReweighed(ctx, m.engine, m.model, fixtures.Of(inputs...), replace)
	if size, wrong := m.model.Size(); wrong == nil && size >= largeModel {
		runtime.GC() // free this run's weights before the next run allocates its own
	}
	return outputs, err
}

// largeModel is the size of weights from which a measurement runs the garbage collector between
// runs.
const largeModel = 16 << 20

func (m *meter) measure(ctx context.Context, s settingsOf) (*compare.Noise, error) {
	var runs [][]*tensor.Set
	addends := 0
	for k := range s.runs {
		j := newJitter(s.seed, k)
		inputs := make([]*tensor.Set, len(m.inputs))
		for i, set := range m.inputs {
			var err error
			if inputs[i], err = j.set(set); err != nil {
				return nil, err
			}
		}
		outputs, err := m.run(ctx, inputs, func(c loaders.Constant) (*tensor.Tensor, error) {
			for _, u := range c.Uses {
				addends = max(addends, u.Addends)
			}
			return j.constant(c), nil
		})
		if err != nil {
			return nil, fmt.Errorf("run %d of %d with moved weights: %w", k+1, s.runs, err)
		}
		if j.moved == 0 {
			return nil, errNothingMoves
		}
		runs = append(runs, outputs)
	}
	operators, err := m.model.Operators()
	if err != nil {
		return nil, err
	}
	return compare.NoiseOf(runs, addends, operators)
}

// errNothingMoves reports a model and inputs without floats.
var errNothingMoves = errors.New("neither the model's weights nor its inputs have a number that " +
	"rounding could move; the outputs are exact, so compare with Within(0, 0, Elementwise)")
