package backends

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// Engine is an inference engine with its options: ort.Engine(ort.Threads(2)),
// trt.Engine(trt.FP16()). It is a value that can be kept, printed, compared with == and opened any
// number of times. Creating an engine does no work; opening it reports all invalid options at once.
//
// An implementation must be comparable: its dynamic type may contain strings and pointers, but no
// slices, maps or functions. Optional features are described by the engine's [Capabilities]. The
// method Capabilities is deliberately not part of this interface. Otherwise a type that embeds an
// Engine would inherit the method, and the functions in the method's result would return engines of
// the embedded type.
type Engine interface {
	// Open prepares a model to run. inputs are the inputs on which the model will run. Open may draw
	// sets from inputs, because some engines build a model for given shapes. Cancelling ctx stops
	// slow work. The caller closes the backend.
	//
	// An engine that runs only one kind of model rejects all others; see [ONNX].
	Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (Backend, error)

	// Text returns the engine's canonical text. Engines with equal texts give the same results. The
	// text starts with the engine's name ("ort {…}") and contains no secrets. Options that cannot
	// be written as text, such as a writer or a function, are omitted.
	Text() string

	// String returns the engine's name and options in readable form: "tensorrt FP16".
	String() string

	// GoString returns the engine as Go source: trt.Engine(trt.FP16()). The source compiles in a
	// file that imports the engine's package. Options that cannot be written in Go are omitted; a
	// comment in the source names them.
	GoString() string
}

// ModelEngine is both a model and the only engine that runs it, such as a TensorRT plan, another
// framework's file or a model on a server:
//
//	plan := trt.Plan("net.plan")
//	inputs := fixtures.Random(plan, fixtures.Seed(1))
//	Expect(plan.Run(ctx, inputs)).To(MatchGolden("net"))
//
// The method Open also accepts the ONNX model from which the ModelEngine was made, and then opens
// the ModelEngine. Calling the method Inputs may open the ModelEngine too.
type ModelEngine interface {
	Engine
	fixtures.Declaration

	// Run opens the model, runs it once over the inputs, and closes it.
	Run(ctx context.Context, inputs fixtures.Inputs) (*Run, error)
}

// RunIn opens model in engine e, runs it once over the inputs, and closes the backend:
//
//	Expect(backends.RunIn(ctx, engine, model, inputs)).To(MatchGolden("resnet18"))
//
// The engines' own Run functions, such as ort.Run, call RunIn with an engine that has the given
// options.
func RunIn(ctx context.Context, e Engine, model fixtures.Declaration, inputs fixtures.Inputs) (
	run *Run, err error) {
	defer func() { err = plain(err) }()
	if e == nil {
		return nil, errors.New("backends: the engine is nil")
	}
	if ctx == nil {
		return nil, errors.New("backends: the context is nil; pass context.Background()")
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%v: %w", e, err)
	}
	backend, err := e.Open(ctx, model, inputs)
	if err != nil {
		return nil, err
	}
	defer func() { // runs even if Run panics
		if wrong := backend.Close(); wrong != nil {
			run, err = nil, errors.Join(err, wrong)
		}
	}()
	if run, err = backend.Run(ctx, inputs); err != nil {
		return nil, err
	}
	if run.subject.Engine == nil { // the backend did not set it
		run.subject = Subject{Engine: e, Model: model, Inputs: inputs,
			InputsSHA256: run.Provenance.InputsSHA256}
		run.ctx = ctx
	}
	return run, nil
}

// RunPart is like [RunIn], but for a part cut from a model, in an engine whose options were made
// for the whole model. It ignores options that refer to something that the part lacks. Generated
// specs for a reduced model use RunPart.
func RunPart(ctx context.Context, e Engine, part *loaders.Model, inputs fixtures.Inputs) (
	*Run, error) {
	whole, err := part.Mark() // a copy: the engine expects two models
	if err != nil {
		return nil, err
	}
	parts, forget, err := ForParts(ctx, e, whole, inputs)
	if err != nil {
		return nil, err
	}
	defer forget()
	run, err := RunIn(ctx, parts, part, inputs)
	if err == nil {
		run.subject.Engine = e
	}
	return run, err
}

// ONNX returns the model if it is an ONNX model, and otherwise an error that says which kind of
// model the engine was given instead. A model of another kind can describe itself with a method
// Format() string.
func ONNX(engine string, model fixtures.Declaration) (*loaders.Model, error) {
	switch m := model.(type) {
	case *loaders.Model:
		if m != nil {
			return m, nil
		}
	case nil:
	default:
		return nil, fmt.Errorf("%s runs ONNX models, got %s", engine, Described(m))
	}
	return nil, fmt.Errorf("%s: no model to run", engine)
}

// Described returns a description of a model that is not in ONNX format, for error messages:
// "net.plan, a TensorRT engine".
func Described(model fixtures.Declaration) string {
	if m, ok := model.(interface{ Format() string }); ok {
		return fmt.Sprintf("%s, %s", model.Name(), m.Format())
	}
	return fmt.Sprintf("%s (%T)", model.Name(), model)
}
