package trt

import (
	"context"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// engine is TensorRT with its options.
type engine struct {
	option.List[settings]
	whole *whole // nil unless it opens parts of a model
}

// Engine returns an engine that runs models in TensorRT with the given options. It is a value that
// can be stored, printed, compared with == and opened any number of times. All invalid options are
// reported when it is opened.
//
// Opening the engine builds the model's TensorRT engine, or takes it from the engine cache, so that
// repeating a run uses the same engine (see [NoEngineCache]). By default, the optimization profile
// ([Profile]) and the calibration data of INT8 are derived from the model and the inputs. The
// inputs may be empty if neither the profile nor the calibration data is derived from them.
// Cancelling the context stops a build at its next step.
func Engine(options ...Option) backends.Engine {
	return engine{List: engines.List(options...)}
}

// Run builds the model's engine, or takes it from the engine cache, runs it once over the inputs,
// and closes it:
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(MatchGolden("resnet18"))
//
// It calls [backends.RunIn] with [Engine]. To run one engine many times, open it instead.
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}

// Require skips the spec of t if TensorRT cannot be used on this machine. The message is one line
// that says what to install. If MODELPARITY_REQUIRE lists "trt" or "all", the spec fails with that
// message instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { trt.Require(GinkgoT()) })
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Open builds the model's engine, or takes it from the engine cache; see [backends.Engine].
func (e engine) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("tensorrt", model)
	if err != nil {
		return nil, err
	}
	o, err := e.order(m, inputs)
	if err != nil {
		return nil, err
	}
	b, err := build(ctx, o)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// order completes the engine's options for a model.
func (e engine) order(model *loaders.Model, inputs fixtures.Inputs) (order, error) {
	s, err := e.Settings()
	if err != nil {
		return order{}, err
	}
	var o order
	switch {
	case e.whole == nil:
		o, err = newOrder(s, model, inputs)
	case e.whole.model == model:
		s.Timing = e.whole.timing
		o, err = newOrder(s, model, inputs)
	default:
		o, err = forPart(s, e.whole, model, inputs)
	}
	o.subject, o.notes = backends.Subject{Engine: e, Model: model}, inputs.Notes()
	return o, located(err)
}

// whole describes a model from which parts are cut: the properties that the parts inherit.
type whole struct {
	model     *loaders.Model
	profile   []ProfileRange // the chosen profile
	quantized bool           // the model has INT8 scales of its own
	timing    paths
}

// parts returns an engine whose options are adapted to parts that are cut from a model, or to the
// model with other outputs. Options for layers, inputs and outputs that a part lacks are ignored. A
// part has one optimization profile: inputs that the model also has get the ranges in the model's
// chosen profile; other inputs get ranges from the part's inputs. INT8 is calibrated with the
// part's own inputs, or with the model's cache if there is one. Changed outputs ([MarkOnly]),
// recorded tactics and saved plans apply only to the model itself.
//
// If the options name no timing cache, all parts and the model itself share one until forget is
// called. TensorRT then measures a layer that occurs in several of these models only once, and uses
// the same kernel in all of them.
func (e engine) parts(_ context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	parts backends.Engine, forget func(), err error) {
	none := func() {}
	m, err := backends.ONNX("tensorrt", model)
	if err != nil {
		return nil, none, err
	}
	s, err := e.Settings()
	if err != nil {
		return nil, none, err
	}
	w := &whole{model: m, timing: s.Timing}
	profiles := s.Profiles
	if len(profiles) == 0 {
		profiles, err = derived(m, inputs, nil)
	}
	if err == nil && s.Profile >= 0 && s.Profile < len(profiles) {
		w.profile = profiles[s.Profile]
	}
	if err == nil && s.Flags[flagINT8] {
		w.quantized, err = isQuantized(m)
	}
	if err != nil {
		return nil, none, located(err)
	}
	if w.timing != (paths{}) {
		return engine{e.List, w}, none, nil
	}
	folder, err := os.MkdirTemp("", "modelparity-timings-")
	if err != nil {
		return nil, none, located(err)
	}
	file := filepath.Join(folder, "timings")
	w.timing = paths{Load: file, Save: file}
	return engine{e.List, w}, func() { _ = os.RemoveAll(folder) }, nil
}

// caution returns a warning if TensorRT may choose the type of each node itself.
func (e engine) caution() string {
	s, err := e.Settings()
	if err != nil || len(s.allowed()) == 0 || s.Flags[flagObey] {
		return ""
	}
	return "TensorRT chose the type of each node and may have run a node alone in float32; " +
		"to force float16, set trt.PrecisionConstraints(trt.Obey) and trt.LayerPrecision(\"*\", " +
		"tensor.Float16) (--precision-constraints obey --layer-precisions '*:float16')"
}
