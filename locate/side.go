package locate

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Side is one of the two that part: a model, and the engine that runs it. Both sides may have the
// same model and differ in the engine or its options, or differ in the model.
type Side struct {
	// Name stands for the side in messages: "tensorrt fp16". Empty: the model's name.
	Name  string
	Model *loaders.Model
	// Open makes the engine ready for a model: the side's own, or one that was cut from it or has
	// more outputs. inputs is what it will run on, which an engine with shape profiles has to know:
	// backends.ForParts fits TensorRT's options to them.
	// A backend that is a [backends.TensorReader] shows its tensors itself. Such as
	//
	//	func(ctx context.Context, m *loaders.Model, fed fixtures.Inputs) (backends.Backend, error) {
	//		return ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)).Open(ctx, m, fed)
	//	}
	Open Open
}

// Open makes an engine ready to run a model on inputs. See [Side].
type Open func(ctx context.Context, m *loaders.Model, inputs fixtures.Inputs) (
	backends.Backend, error)

func (s Side) name() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Model.Name()
}

func (s Side) validate(which string) error {
	switch {
	case s.Model == nil:
		return fmt.Errorf("locate: the %s side has no model", which)
	case s.Open == nil:
		return fmt.Errorf("locate: the %s side has no engine: set Open", which)
	}
	return nil
}

// run opens the engine for one model, runs it, and closes the engine again.
func (s Side) run(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
	*backends.Run, error) {
	backend, err := s.Open(ctx, m, in)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	defer backend.Close()
	run, err := backend.Run(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	return run, nil
}

// snapshot draws the inputs once, so that both sides and every batch get the very same ones even
// from a generator that does not repeat itself.
func snapshot(in fixtures.Inputs) (fixtures.Inputs, []*tensor.Set, error) {
	var sets []*tensor.Set
	for set, err := range in.All() {
		if err != nil {
			return fixtures.Inputs{}, nil, fmt.Errorf("locate: inputs: %w", err)
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return fixtures.Inputs{}, nil, fmt.Errorf("locate: %w", backends.ErrNoInputs)
	}
	return fixtures.Of(sets...), sets, nil
}
