// Package process runs models in another program: the PyTorch or TensorFlow original, ONNX's
// reference evaluator, or anything that can read a line of JSON and NumPy's file format. The
// program is one long-lived process for each backend; docs/engines.md has the protocol, and
// python/modelparity.py is all of it for a program in Python.
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchOutputsWithin(1e-4, 1e-4, Elementwise).
//		Of(process.Run(ctx, model, inputs, process.Script("original.py"))))
//
// What to know about it:
//
//   - The program talks over descriptors 3 and 4. What it prints to standard output and standard
//     error is kept, 4 KiB of it, for the message of a failure.
//   - It runs in a process group of its own, and nothing of it outlives the test: not where it
//     hangs, and not where the test is killed.
//   - Where it crashes, hangs beyond [Timeout], breaks the protocol, or the context ends in the
//     middle of a run, that run fails with the program's last words and the program is ended. The
//     next run starts it anew.
package process

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
)

// Engine is a program with options: a value that can be kept, compared by ==, printed, and opened
// any number of times. One of [Command], [Script], [PyTorch], [TensorFlow], [ONNXReference] and
// [JAX] says which program. Opening the engine starts it.
func Engine(options ...Option) backends.Engine { return engine{kind.List(options...)} }

// engine is a program with options.
type engine struct{ option.List[settings] }

// Run runs the model once over the inputs in a program. It is [backends.RunIn] with [Engine]. Open
// the engine to run one model many times.
func Run(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}
