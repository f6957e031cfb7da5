// Package tract runs ONNX models in tract, a small engine in Rust that shares no code with the
// others: an independent second opinion in one library of 34 MB, opened at run time. Where the
// library is missing, [Require] skips a spec with one line that says what to run.
//
// What to know about it:
//
//   - It runs tensors of 8- to 64-bit integers, of float16, float32 and float64, and of booleans.
//     Strings, bfloat16, narrower types and sequences are refused.
//   - A model is made ready for each set of input shapes, which takes milliseconds: for the inputs
//     that it is opened for at once, and for others when they come. The last eight sets are kept.
//   - Some operators have to know an input beforehand: axes, shapes, sizes. Where the model takes
//     it as an input of its own, the model is made ready for its value as well.
//   - It always optimises, and always runs in one thread. So it has no options for either.
//   - It cannot be interrupted. When a context ends, a run returns at once, and the computation
//     goes on to its end in the background.
//   - Where its Rust code panics, as over a division of integers by zero, it aborts the process.
package tract

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Engine is tract with options: a value that can be kept, compared by ==, printed, and opened any
// number of times. Engines with the same options are equal. Opening one reports everything wrong
// with the options.
func Engine(options ...Option) backends.Engine { return engine{List: kind.List(options...)} }

// engine is tract with options.
type engine struct {
	option.List[settings]
	alone bool // its sessions are not shared
}

// Run runs the model once over the inputs:
//
//	Expect(tract.Run(ctx, model, inputs)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
//		Of(ort.Run(ctx, model, inputs)))
//
// It is [backends.RunIn] with [Engine]. Open the engine to run one model many times.
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, options ...Option) (
	*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}
