//go:build linux && cgo

package trt

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// Why an engine's weights cannot be used. TensorRT itself reports nothing: it computes with zeros,
// or with weights of two models.
var (
	errStripped = errors.New("its plan was built without weights (StripPlan), and would give " +
		"zeros: refit it with Backend.Refit first; what Backend.Save writes then has the weights")
	errHalfRefitted = errors.New("a refit failed halfway and may have replaced some of its " +
		"weights: refit it again, or load it anew")
)

// Refit replaces the engine's weights by those of a model of the same structure. The engine must
// be built with [Refittable] or [StripPlan]. [Backend.Save] then saves the new weights, those of a
// stripped plan as well. An engine that takes only some of the weights does not run any more,
// until a refit succeeds. A plan that was stripped, but not built to be refittable, as by NVIDIA's
// tools, takes the weights that it was built with alone: TensorRT does not notice others, and what
// it computes with them is undefined.
func (b *Backend) Refit(model *loaders.Model) error {
	data, path, err := source(model)
	if err != nil {
		return fmt.Errorf("tensorrt: refit: %w", err)
	}
	if err := b.begin(context.Background()); err != nil {
		return fmt.Errorf("tensorrt: refit: %w", err)
	}
	defer b.end()
	if err := b.checkWeights(model); err != nil {
		return fmt.Errorf("tensorrt: refit with %s: %w", model.Name(), err)
	}
	for i, session := range b.sessions {
		if err := session.refit(data, path); err != nil {
			if i > 0 || errors.Is(err, trtabi.ErrRefit) {
				b.weights = errHalfRefitted
			}
			return fmt.Errorf("tensorrt: refit with %s: %w", model.Name(), err)
		}
	}
	b.weightsOf, b.weights = model, nil
	set(&b.provenance.Options, "refit", model.Name())
	return nil
}

// giveWeights refits an engine that was stripped of its weights, with those of its model.
func (b *Backend) giveWeights(model *loaders.Model) error {
	if errors.Is(b.weights, errStripped) {
		return b.Refit(model)
	}
	return nil
}

// checkWeights refuses what the engine does not take. One that was stripped takes weights in any
// case, though it says that it is not refittable, but then no other weights than its own.
func (b *Backend) checkWeights(model *loaders.Model) error {
	main, refittable := b.sessions[0], false
	if err := b.device.Do(func() error {
		refittable = main.engine.Refittable()
		return nil
	}); err != nil || refittable {
		return err
	}
	if !main.stripped {
		return errors.New("the engine's weights are fixed: build it with trt.Refittable or " +
			"trt.StripPlan")
	}
	if b.order == nil { // loaded: nobody knows of which model
		return nil
	}
	sum, err := model.SHA256()
	if err == nil && sum != b.provenance.ModelSHA256 {
		err = errors.New("the engine takes only the weights of the model that it was built from: " +
			"build it with trt.StripPlan or trt.Refittable")
	}
	return err
}

// lastRefit is the model that the engine was refitted with last, or nil, or why it cannot run.
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

// lacksWeights reports whether the plan came without its weights. TensorRT has no method that says
// so, and its refitter misses none; but by default it leaves the weights out again when it
// serializes such an engine, and of no other (docs/evidence/tensorrt.md).
func (s *session) lacksWeights(all *settings) (bool, error) {
	config, err := s.engine.Serialization()
	if err != nil {
		return false, err
	}
	defer config.Delete()
	exclude, err := s.serializationFlag("EXCLUDE_WEIGHTS")
	return all.Flags[FlagStripPlan] || config.Flag(exclude), err
}

func (s *session) serializationFlag(name string) (int, error) {
	return number(s.library, "serialization flag", name, trtabi.SerializationFlags)
}

// whole is the engine's plan with the weights that it has now.
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
	// From 10.14 on the weights of such a plan are fixed, unless this is asked for.
	if refittable, err := s.serializationFlag("INCLUDE_REFIT"); err == nil {
		if err := config.SetFlag(refittable, true); err != nil {
			return nil, err
		}
	}
	return s.engine.SerializeWith(config)
}
