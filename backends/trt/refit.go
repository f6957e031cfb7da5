//go:build linux && cgo

package trt

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// The reasons why an engine's weights cannot be used. TensorRT itself reports none of them: it
// would compute with zeros, or with a mixture of the weights of two models.
var (
	errStripped = errors.New("the plan was built without weights (trt.StripPlan) and would return " +
		"zeros: open it with its ONNX model, or call Backend.Refit")
	errHalfRefitted = errors.New("a failed refit may have replaced some of the engine's " +
		"weights: refit the engine again, or reload it")
)

// Refit replaces the engine's weights with the weights of a model that has the same structure. The
// engine must be built with [Refittable] or [StripPlan]. [Backend.Save] then saves the new weights,
// even if the plan was stripped. If Refit fails after replacing some of the weights, the engine
// does not run until a later Refit succeeds. A plan that was stripped but is not refittable, such
// as a plan that NVIDIA's tools stripped, can be used only with its original weights: TensorRT does
// not detect other weights, and the results are then undefined.
func (b *Backend) Refit(model *loaders.Model) error {
	if err := b.refit(model); err != nil {
		return fmt.Errorf("tensorrt: refit with %s: %w", model.Name(), err)
	}
	return nil
}

func (b *Backend) refit(model *loaders.Model) error {
	typed, err := model, error(nil)
	if b.order != nil && b.order.casts != nil {
		if typed, _, err = b.order.casts.of(model); err != nil {
			return err
		}
	}
	data, path, err := source(typed)
	if err != nil {
		return err
	}
	if err := b.begin(context.Background()); err != nil {
		return err
	}
	defer b.end()
	if err := b.checkWeights(model); err != nil {
		return err
	}
	if err := b.session.refit(data, path); err != nil {
		if errors.Is(err, trtabi.ErrRefit) {
			b.weights = errHalfRefitted
		}
		return err
	}
	b.weightsOf, b.weights = model, nil
	set(&b.provenance.Options, "refit", model.Name())
	return nil
}

// giveWeights restores the weights of a stripped engine from its own model.
func (b *Backend) giveWeights(model *loaders.Model) error {
	if errors.Is(b.weights, errStripped) {
		return b.Refit(model)
	}
	return nil
}

// checkWeights returns an error if the engine cannot use the model's weights. A stripped engine
// that reports that it is not refittable accepts only its own weights.
func (b *Backend) checkWeights(model *loaders.Model) error {
	main, refittable := b.session, false
	if err := b.device.Do(func() error {
		refittable = main.engine.Refittable()
		return nil
	}); err != nil || refittable {
		return err
	}
	if !main.stripped {
		return errors.New("the engine's weights are fixed: build it with trt.Refittable or trt.StripPlan")
	}
	if b.order == nil { // loaded from a file, so the model is unknown
		return nil
	}
	sum, err := model.SHA256()
	if err == nil && sum != b.provenance.ModelSHA256 {
		err = errors.New("the engine takes only the weights of the model that it was built from: " +
			"build it with trt.StripPlan or trt.Refittable")
	}
	return err
}

// lastRefit returns the model of the last refit, or nil if there was none. It returns an error if
// the engine cannot run.
func (b *Backend) lastRefit(ctx context.Context) (*loaders.Model, error) {
	if err := b.begin(ctx); err != nil {
		return nil, fmt.Errorf("tensorrt: %w", err)
	}
	defer b.end()
	if b.weights != nil {
		return nil, fmt.Errorf("tensorrt: %s: %w", b.provenance.Model, b.weights)
	}
	return b.weightsOf, nil
}

func (s *session) refit(model []byte, path string) error {
	return s.device.Do(func() error {
		missing, err := s.engine.Refit(model, path)
		if len(missing) > 0 {
			err = fmt.Errorf("%w: it lacks %s", err, abridged(missing))
		}
		return s.log.explain(err)
	})
}

// lacksWeights reports whether the plan was loaded without weights. TensorRT cannot be asked
// directly, and its refitter does not list missing weights. But TensorRT's default flags for saving
// an engine exclude the weights only if the engine was loaded without weights
// (docs/evidence/tensorrt.md).
func (s *session) lacksWeights(all *settings) (bool, error) {
	config, err := s.engine.Serialization()
	if err != nil {
		return false, err
	}
	defer config.Delete()
	exclude, err := s.serializationFlag("EXCLUDE_WEIGHTS")
	return all.Flags[flagStripPlan] || config.Flag(exclude), err
}

func (s *session) serializationFlag(name string) (int, error) {
	return number(s.library, "serialization flag", name, trtabi.SerializationFlags)
}

// whole returns the engine's plan, including the current weights.
func (s *session) whole() (plan []byte, err error) {
	err = s.device.Do(func() error {
		plan, err = s.serialize()
		return s.log.explain(err)
	})
	return plan, err
}

func (s *session) serialize() ([]byte, error) {
	if !s.stripped {
		return s.engine.Serialize()
	}
	config, err := s.engine.Serialization()
	if err != nil {
		return nil, err
	}
	defer config.Delete()
	exclude, err := s.serializationFlag("EXCLUDE_WEIGHTS")
	if err == nil {
		err = config.SetFlag(exclude, false)
	}
	if err != nil {
		return nil, err
	}
	// From TensorRT 10.14 on, a plan that includes weights can be refitted later only if this flag is
	// set.
	if refittable, err := s.serializationFlag("INCLUDE_REFIT"); err == nil {
		if err := config.SetFlag(refittable, true); err != nil {
			return nil, err
		}
	}
	return s.engine.SerializeWith(config)
}
