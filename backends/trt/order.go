package trt

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt/internal/replay"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// order describes an engine to build: the options, completed from the model and its inputs.
type order struct {
	settings
	model   *loaders.Model
	subject backends.Subject

	fromInputs bool         // the profile was derived from them
	part       bool         // names that the network lacks are passed over
	replay     *replay.File // nil where nothing is replayed
	replaySum  string
	calibrated *calibrated

	givenVerbosity bool // by the options
}

// newOrder resolves the options of an engine for a model. inputs may have no iterations, where the
// options say all.
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
	o.tellLayers()
	return o, nil
}

// tellLayers has the engine tell what its layers compute in, where a precision is allowed and the
// options leave the verbosity open.
func (o *order) tellLayers() {
	o.givenVerbosity = o.Verbosity != ""
	if !o.givenVerbosity && len(o.allowed()) > 0 {
		o.Verbosity = Detailed
	}
}

// allowed is the flags by which TensorRT may choose a precision below float32.
func (s *settings) allowed() []Flag {
	return slices.DeleteFunc(append(slices.Clone(reduced), FlagTF32), func(flag Flag) bool {
		return !s.Flags[flag]
	})
}

// showing is the order of the same engine that also gives tensors inside.
func (o order) showing(names []string) order {
	o.Marks.Inside = names
	o.Tactics, o.replay, o.replaySum = tactics{}, nil, "" // of the engine without these tensors
	o.SavePlan = ""
	o.log = nil // the engine that is asked listens already, and hears this one too
	return o
}

// alone is the order of an engine for one debug tensor.
func (o order) alone() order {
	o.Marks.Debug, o.Marks.Unfused = nil, false
	return o
}

// forPart fits an order to a part that was cut from a model, or to the model with other outputs:
//
// Options for layers, inputs and outputs that the part lacks are ignored. The part has one
// optimization profile: inputs that it shares with the model have the ranges of the model's chosen
// profile, the others the shapes that they are fed. INT8 is calibrated with its own inputs, or with
// the model's cache if it was written. Marks, tactics and saved plans are the model's.
func forPart(s *settings, whole *whole, part *loaders.Model, inputs fixtures.Inputs) (
	order, error) {
	own := *s
	profiles, err := derived(part, inputs, whole.profile)
	if err != nil {
		return order{}, fmt.Errorf("the part's %w", err)
	}
	own.Profiles, own.Profile = profiles, 0
	own.Marks, own.Tactics, own.SavePlan = marks{}, tactics{}, ""
	own.Timing = whole.timing
	if data, err := own.INT8.readCache(); err == nil && data == nil {
		own.INT8.Cache = "" // what is found for a part is not for the model's file
	}
	own.calibrate = nil
	o, err := newOrder(&own, part, inputs)
	if whole.quantized { // the scales are in the model, also where a part has none of them
		o.calibrated = nil
	}
	o.part, o.fromInputs = true, len(o.Profiles) > 0
	return o, err
}
