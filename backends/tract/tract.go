// Package tract runs ONNX models in tract, a small engine written in Rust. It shares no code with
// the other engines, so it gives an independent second opinion. Its only library, of 34 MB, is
// opened at run time. If the library is missing, [Require] skips a spec, and its message says what
// to run.
//
// Properties of tract:
//
//   - It supports 8- to 64-bit integers, float16, float32, float64 and booleans. It rejects
//     strings, bfloat16, narrower types and sequences.
//   - A model is prepared for each set of input shapes, which takes milliseconds: when it is
//     opened, for the first iteration's shapes, and later whenever the shapes are new. The models
//     prepared for the last eight sets of shapes are kept.
//   - Some operators need the values of axes, shapes or sizes before the run. If such a value is an
//     input of the model, the model is prepared for each new value too.
//   - tract itself rejects a model whose value_info gives a symbol for a size that the inputs
//     determine. The engine prepares such a model without value_info, and says so in the
//     provenance's option "declared shapes".
//   - It always optimises and always uses one thread, so there are no options for either.
//   - It cannot be interrupted. When a context ends, a run returns at once, and the computation
//     continues in the background.
//   - If its Rust code panics, for example on an integer division by zero, the process is aborted.
package tract

import (
	"context"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/native"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// Engine returns tract with options: a value that can be kept, compared with ==, printed, and
// opened any number of times. Engines with the same options are equal. Opening an engine reports
// all invalid options.
func Engine(options ...Option) backends.Engine { return engine{List: kind.List(options...)} }

type engine struct {
	option.List[settings]
	alone bool // does not share sessions
}

// Run runs the model once over the inputs:
//
//	Expect(tract.Run(ctx, model, inputs)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
//		Of(ort.Run(ctx, model, inputs)))
//
// It calls [backends.RunIn] with [Engine]. To run one model many times, open the engine instead.
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, options ...Option) (
	*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Unshared: e.unshared,
		Chain: func(string) int { return math.MaxInt }}
}

func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}

// shared returns the key under which backends share the model's plans, or "" if they are not
// shared. Plans are not shared if tract reads the model's file again for each set of shapes.
// Sharing is safe because a plan does not change, and each inference has its own state.
func (e engine) shared(s *settings, library *abi.Library, model *loaders.Model) (string, error) {
	if e.alone {
		return "", nil
	}
	if fromFile, err := native.ReadsFile(model); err != nil || fromFile {
		return "", err
	}
	return fmt.Sprintf("%s %s %s %t", backendName, library.Path, library.Version, s.FP16), nil
}

// init registers the engine, so that other processes can recreate it from its text; see
// [backends.Register].
func init() {
	backends.Register(backendName, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{List: list}, err
	})
}
