package backends

import (
	"context"
	"io"
	"reflect"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Capabilities lists what an engine can do besides opening models. Each capability is a function;
// nil means that the engine lacks the capability. An engine provides its capabilities through a
// method Capabilities() Capabilities. An engine that wraps another engine derives its capabilities
// with [Capabilities.Around].
type Capabilities struct {
	// Threads returns a copy of the engine that uses n threads.
	Threads func(n int) (Engine, error)

	// Levels returns one engine for each optimisation level, the lowest level first.
	Levels func() ([]Engine, error)

	// Releases returns the releases that words select, the oldest first. A word is one release
	// ("1.24.4"), all patches of a release ("1.24") or a range ("1.24..1.31"). Releases opens none of
	// them: a release that is not on this machine fails when it is opened. One process may be unable
	// to run more than one release.
	Releases func(words []string) ([]Release, error)

	// Streams returns a copy of the engine that distributes its inferences over n streams of a device,
	// in turn.
	Streams func(n int) (Engine, error)

	// Profile returns the range of input shapes that the engine is built for; ok is false if the
	// engine's options set no range.
	Profile func() (p Profile, ok bool, err error)

	// Profiles returns a copy of the engine that is built for the given ranges of input shapes instead
	// of the ranges in its options. The copy runs in the range at the given index. If ranges is empty,
	// the ranges are derived from the inputs when the engine is opened.
	Profiles func(ranges []Profile, index int) Engine

	// MarkAll returns an engine that returns all of a model's intermediate tensors as outputs.
	MarkAll func() (Engine, error)

	// Rebuild is for engines that choose kernels while they build a model, and may choose differently
	// in each build. It returns an engine that ignores caches and builds the model again. Once that
	// engine has been opened, the function choices returns the kernel that the engine chose for each
	// layer, by the layer's name; layers whose kernel the engine does not reveal are absent. The
	// caller calls forget, which is never nil, when the engine is no longer needed.
	Rebuild func() (e Engine, choices func() (map[string]string, error), forget func(), err error)

	// Layers returns the names of the layers of a model's network, in network order. The name is ""
	// for a layer whose precision cannot be chosen. An engine without lower precisions returns an
	// error.
	Layers func(ctx context.Context, model fixtures.Declaration) ([]string, error)

	// NodeLayers returns, for each node of a model, the names of the layers that the engine makes
	// from the node. Layers whose precision cannot be chosen are omitted. One node may become
	// several layers: a Gemm may become two, only one of which keeps the node's name.
	NodeLayers func(ctx context.Context, model fixtures.Declaration) ([][]string, error)

	// Raise returns an engine that computes the given layers in the given element type, and all
	// other layers in the lower precision that its options allow.
	Raise func(layers []string, elem tensor.ElementType) (Engine, error)

	// Save returns an engine that rebuilds the model each time it is opened and writes the built
	// engine to path.
	Save func(path string) Engine

	// Log returns a copy of the engine that writes its log to w: a summary, or every detail if
	// verbose is true.
	Log func(w io.Writer, verbose bool) Engine

	// Parts is for engines whose options refer to layers, shapes or calibration data of one model. It
	// returns an engine that opens this model and also parts cut from it. The engine opens the whole
	// model exactly as the original engine would for the given inputs. All backends that it opens
	// share data, such as measured timings, until the caller calls forget.
	Parts func(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
		parts Engine, forget func(), err error)

	// Caution returns a warning for the user if a search for the node that causes a difference may
	// find the wrong node in this engine, and "" otherwise.
	Caution func() string

	// Reweigh runs a model once over the inputs, with its constants replaced by the values that
	// replace returns, and returns the outputs of each iteration. It does not keep a second copy of
	// the model in memory.
	Reweigh func(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
		replace Replace) ([]*tensor.Set, error)

	// Unshared returns a copy of the engine whose backends share no sessions; see [Unshared].
	Unshared func() Engine

	// Reference returns the engine against which this engine's rounding noise is measured. It computes
	// in float32 without optimisation. The caller passes an unoptimised ONNX Runtime as plain, and
	// Reference may return it. An engine that must drive a decoder, or that loads libraries of
	// operators that plain lacks, returns a different engine.
	Reference func(plain Engine) Engine

	// Computed returns the value that [Provenance.Computed] has in runs of the model. It does not run
	// the model.
	Computed func(ctx context.Context, model *loaders.Model) (string, error)

	// Passes rewrites a model with the engine's optimiser, without running the model. It returns the
	// names of the passes that changed the graph or may have changed it, in the order of the first
	// change, and the optimised graph without weights.
	Passes func(ctx context.Context, model *loaders.Model) (
		names []string, optimised *loaders.Model, err error)

	// WithoutPasses returns an engine whose optimiser also leaves out the named passes. It ignores
	// unknown names and passes that cannot be left out; call the result's Passes to see which passes
	// still change a model.
	WithoutPasses func(names []string) Engine

	// Chain returns the largest number of terms that the engine adds up sequentially before it
	// combines the partial sums. Longer chains cause larger rounding errors. op is Conv, or MatMul for
	// every other operator that sums. If Chain is nil, the engine may add up any number of terms
	// sequentially.
	Chain func(op string) int

	// Neighborly reports whether the engine computes on the CPU in this process, never waits for a
	// device that a different engine uses, and stops a run soon after the run's context ends. Engines
	// with these properties can run at the same time, and a run that takes too much memory can be
	// stopped.
	Neighborly func() bool

	// RunWithTensors runs b, which this engine has opened, like [Backend].Run, but every iteration
	// also contains the named tensors of the model, in the element types that the model declares. A
	// tensor that the engine does not compute, for example because it was folded away, is absent. The
	// tensors come from the engine built for the unchanged model, not from one built for a model with
	// additional outputs. Reading them can still affect the engine. To detect this, compare the
	// outputs with the outputs of Run: they must be bitwise equal.
	RunWithTensors func(ctx context.Context, b Backend, inputs fixtures.Inputs, names []string) (
		*Run, error)

	// Loop starts a series of inferences in b, which this engine has opened. Outputs of one inference
	// stay inside the engine as inputs of the next, so that a decoder's cache is never copied. The
	// caller closes the loop before b.
	Loop func(b Backend) (Loop, error)

	// Rewind truncates every value that a loop of this engine keeps, for example when a draft is
	// rejected in speculative decoding. Only the first tokens remain; tokens is their number,
	// including padding.
	Rewind func(l Loop, tokens int) error
}

// Release is one release of an engine. Its field Engine is an engine that runs this release.
type Release struct {
	Version string
	Engine  Engine
}

// Profile is the range of shapes that an engine supports, by input name: Min contains the smallest
// shapes, Opt the most likely ones and Max the largest.
type Profile struct{ Min, Opt, Max map[string]tensor.Shape }

// Replace returns new values for a constant of a model, or nil to leave the constant unchanged; see
// [loaders.Model.ReplaceConstants].
type Replace = func(loaders.Constant) (*tensor.Tensor, error)

// CapabilitiesOf returns the engine's capabilities. An engine without a Capabilities method has
// none.
func CapabilitiesOf(e Engine) Capabilities {
	if c, ok := e.(interface{ Capabilities() Capabilities }); ok {
		return c.Capabilities()
	}
	return Capabilities{}
}

// Around returns the capabilities of e, an engine that wraps an inner engine. c contains the inner
// engine's capabilities. The result differs from c as follows:
//
//   - Every engine that a capability returns is passed through wrap.
//   - Reweigh opens a rewritten copy of the model in e.
//   - RunWithTensors, Loop and Rewind are nil, because they need a backend that the inner engine
//     has opened. The caller can set these three fields if each backend of e keeps such an inner
//     backend.
func (c Capabilities) Around(e Engine, wrap func(Engine) Engine) Capabilities {
	reweighs, reference := c.Reweigh != nil, c.Reference
	c.RunWithTensors, c.Loop, c.Rewind = nil, nil, nil
	c.Reference = func(plain Engine) Engine {
		if reference != nil {
			return reference(plain)
		}
		return plain
	}
	all := reflect.ValueOf(&c).Elem()
	for i := range all.NumField() {
		if can := all.Field(i); !can.IsNil() {
			can.Set(wrapping(reflect.ValueOf(can.Interface()), wrap))
		}
	}
	if reweighs {
		c.Reweigh = func(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
			replace Replace) ([]*tensor.Set, error) {
			return rewritten(ctx, e, model, inputs, replace)
		}
	}
	return c
}

// wrapping returns a function that calls the given capability, which is a function too, and then
// wraps every engine in the results.
func wrapping(capability reflect.Value, wrap func(Engine) Engine) reflect.Value {
	return reflect.MakeFunc(capability.Type(), func(given []reflect.Value) []reflect.Value {
		results := capability.Call(given)
		for i, result := range results {
			switch of := result.Interface().(type) {
			case []Engine:
				for i := range of {
					of[i] = wrap(of[i])
				}
			case []Release:
				for i := range of {
					of[i].Engine = wrap(of[i].Engine)
				}
			case Engine:
				if result.Type() == reflect.TypeFor[Engine]() {
					results[i] = reflect.New(result.Type()).Elem()
					results[i].Set(reflect.ValueOf(wrap(of)))
				}
			}
		}
		return results
	})
}

// ForParts returns an engine that can open the model and also parts cut from it. The result is e
// itself if none of e's options depend on the model. After opening the last part, the caller calls
// forget to drop data that the parts share, such as measured timings. forget is never nil.
func ForParts(ctx context.Context, e Engine, model fixtures.Declaration, inputs fixtures.Inputs) (
	parts Engine, forget func(), err error) {
	of := CapabilitiesOf(e).Parts
	if of == nil {
		return e, func() {}, nil
	}
	parts, forget, err = of(ctx, model, inputs)
	if forget == nil {
		forget = func() {}
	}
	return parts, forget, err
}

// RunReweighed runs a model with replaced constants. It uses [Capabilities.Reweigh] if the engine
// has it, and otherwise runs a rewritten copy of the model.
func RunReweighed(ctx context.Context, e Engine, model *loaders.Model, inputs fixtures.Inputs,
	replace Replace) ([]*tensor.Set, error) {
	if reweigh := CapabilitiesOf(e).Reweigh; reweigh != nil {
		return reweigh(ctx, model, inputs, replace)
	}
	return rewritten(ctx, e, model, inputs, replace)
}

// rewritten runs a copy of the model with replaced constants.
func rewritten(ctx context.Context, e Engine, model *loaders.Model, inputs fixtures.Inputs,
	replace Replace) ([]*tensor.Set, error) {
	changed, err := edit.ReplaceConstants(model, replace)
	if err != nil {
		return nil, err
	}
	run, err := RunIn(ctx, e, changed, inputs)
	return run.Outputs(), err
}

// Neighborly reports whether all the engines can run at the same time in this process; see
// [Capabilities.Neighborly].
func Neighborly(engines ...Engine) bool {
	return !slices.ContainsFunc(engines, func(e Engine) bool {
		n := CapabilitiesOf(e).Neighborly
		return n == nil || !n()
	})
}
