package trt

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/replay"
	"github.com/modelparity/modelparity/loaders"
)

// order describes an engine to build: the options, completed with values from the model and its
// inputs.
type order struct {
	settings
	model   *loaders.Model
	subject backends.Subject
	notes   []string // about the inputs

	fromInputs bool         // the profile was derived from the inputs
	part       bool         // ignore names that the network lacks
	replay     *replay.File // the tactics to use, or nil
	replaySum  string
	calibrated *calibrated
	casts      *casts // nil if the model has the types that the options ask for
}

// newOrder completes the options with values from the model and its inputs. inputs may have no
// iterations if the options leave nothing to derive from them.
func newOrder(s *settings, model *loaders.Model, inputs fixtures.Inputs) (order, error) {
	o := order{settings: *s, model: model}
	var err error
	if o.calibrated, err = s.calibration(model, inputs); err != nil {
		return o, err
	}
	if o.replay, o.replaySum, err = readReplay(s.Tactics.Load); err != nil {
		return o, err
	}
	if len(o.Profiles) == 0 {
		if o.Profiles, err = derived(model, inputs, nil); err != nil {
			return o, err
		}
		o.fromInputs = len(o.Profiles) > 0
	}
	if o.Verbosity == "" && len(o.allowed()) > 0 {
		o.Verbosity = detailed // so that the engine reveals the types of its layers
	}
	return o, nil
}

// allowed returns the flags that allow TensorRT to choose a precision below float32.
func (s *settings) allowed() []string {
	return slices.DeleteFunc(append(slices.Clone(reduced), flagTF32), func(flag string) bool {
		return !s.Flags[flag]
	})
}

// showing returns an order for the same engine with the named tensors as additional outputs.
func (o order) showing(names []string) order {
	o.Marks.Inside = names
	o.Tactics, o.replay, o.replaySum = paths{}, nil, "" // they are another engine's
	o.SavePlan = ""
	o.log = nil // the original engine's log also covers this engine
	return o
}

// forPart returns an order for a part that was cut from a model, or for the model with other
// outputs.
//
// The comment of engine.parts says which options a part inherits.
func forPart(s *settings, whole *whole, part *loaders.Model, inputs fixtures.Inputs) (
	order, error) {
	own := *s
	profiles, err := derived(part, inputs, whole.profile)
	if err != nil {
		return order{}, fmt.Errorf("the part of the model: %w", err)
	}
	own.Profiles, own.Profile = profiles, 0
	own.Marks, own.Tactics, own.SavePlan = marks{}, paths{}, ""
	own.Timing = whole.timing
	if data, err := own.INT8.readCache(); err == nil && data == nil {
		own.INT8.Cache = "" // keep the part's scales out of the model's file
	}
	own.calibrate = nil
	o, err := newOrder(&own, part, inputs)
	if whole.quantized { // the model has scales, even if the part has none
		o.calibrated = nil
	}
	o.part, o.fromInputs = true, len(o.Profiles) > 0
	return o, err
}
