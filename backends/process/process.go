// Package process runs models in another program: the PyTorch or TensorFlow original, ONNX's
// reference evaluator, or anything that can read a line of JSON and NumPy's file format. Each
// backend has one long-lived process. docs/engines.md describes the protocol, and
// python/modelparity.py implements it for programs in Python.
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchOutputsWithin(1e-4, 1e-4, Elementwise).
//		Of(process.Run(ctx, model, inputs, process.Script("original.py"))))
//
// Properties of the engine:
//
//   - The program uses descriptors 3 and 4. The last 4 KiB of its standard output and standard
//     error are kept for error messages.
//   - It runs in its own process group. Neither it nor its children outlive the test, even if the
//     program hangs or the test is killed.
//   - If it crashes, hangs beyond [Timeout] or breaks the protocol, or if the context ends during
//     a run, that run fails with the program's last output and the program is ended. The next
//     run starts it again.
package process

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
)

// Engine returns an engine that runs models in a program of yours or of a framework. The engine is
// a value that can be stored, compared with ==, printed, and opened any number of times. One of
// [Command], [Script], [PyTorch], [TensorFlow], [ONNXReference] and [JAX] sets the program. Opening
// the engine starts the program.
func Engine(options ...Option) backends.Engine { return engine{kind.List(options...)} }

type engine struct{ option.List[settings] }

// Run starts the program that the options set, runs the model in it once over the inputs, and ends
// the program. It calls [backends.RunIn] with [Engine]. To run one model many times, open the
// engine instead.
func Run(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}
