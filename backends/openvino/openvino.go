// Package openvino runs models in Intel's OpenVINO, whose C library it opens at run time. Where the
// library is missing, [Require] skips a spec with one line that says what to run.
//
// What to know about it, as of 2026.4 on a CPU:
//
//   - float32 is computed as float32 here. Left to itself, OpenVINO computes in bfloat16 where the
//     processor has AMX, and in float16 on others; see [Precision].
//   - float64 is computed in float32, and int64 and uint64 in 32 bits: values beyond them come back
//     wrapped around, without an error. Tensors of these types keep their types all the same.
//   - It runs tensors of all of ONNX's element types but strings, complex numbers, int2 and the
//     kinds of float8 without negative zero (FNUZ). Sequences and optionals are refused.
//   - An input that has a default in the model keeps it: it cannot be fed.
//   - A model is compiled once, for the shapes that it declares. Where the rank of an input is not
//     declared, or with [StaticShapes], it is compiled for the inputs; the last eight are kept.
//   - It stops between two nodes when a context ends, but not inside a loop of the model, nor while
//     it reads or compiles one. What does not stop within two seconds is left to end by itself.
//
// Beside ONNX models it runs what OpenVINO's other frontends read: see [File].
package openvino

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
)

// Engine is OpenVINO with options: a value that can be kept, compared by ==, printed, and opened
// any number of times. Engines with the same options are equal. Opening one reports everything
// wrong with the options.
func Engine(options ...Option) backends.Engine { return engine{List: kind.List(options...)} }

// engine is OpenVINO with options.
type engine struct {
	option.List[settings]
	alone bool // its sessions are not shared
}

// Run runs the model once over the inputs:
//
//	Expect(openvino.Run(ctx, model, inputs)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
//		Of(ort.Run(ctx, model, inputs)))
//
// It is [backends.RunIn] with [Engine]. Open the engine to run one model many times.
func Run(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}
