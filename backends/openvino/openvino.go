// Package openvino runs models in Intel's OpenVINO, whose C library it opens at run time. If the
// library is missing, [Require] skips a spec, and its message says what to run.
//
// Properties of OpenVINO 2026.4 on a CPU:
//
//   - float32 is computed as float32 by default. OpenVINO's own default is bfloat16 if the
//     processor has AMX, and float16 on some others; see [Precision].
//   - float64 is computed in float32, and int64 and uint64 in 32 bits: larger values wrap around
//     without an error. The outputs still have the declared types.
//   - It supports all of ONNX's element types except strings, complex numbers, int2 and the
//     float8 types without negative zero (FNUZ). It rejects sequences and optionals.
//   - An input that has a default value in the model always uses that value.
//   - A model is compiled once, for its declared shapes. If the rank of an input is not declared,
//     or with [StaticShapes], the model is compiled for each set of input shapes; the last eight
//     compiled models are kept.
//   - When a context ends, a run stops before the next node, but not inside a loop of the model.
//     Reading and compiling a model cannot be stopped. Work that does not stop within two seconds
//     continues in the background.
//
// Besides ONNX models, the engine runs models in the formats of OpenVINO's other frontends: see
// [File].
package openvino

import (
	"context"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
)

// Engine returns OpenVINO with options: a value that can be kept, compared with ==, printed, and
// opened any number of times. Engines with the same options are equal. Opening an engine reports
// all invalid options.
func Engine(options ...Option) backends.Engine { return engine{List: kind.List(options...)} }

type engine struct {
	option.List[settings]
	alone bool // does not share sessions
}

// Run runs the model once over the inputs:
//
//	Expect(openvino.Run(ctx, model, inputs)).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).
//		Of(ort.Run(ctx, model, inputs)))
//
// It calls [backends.RunIn] with [Engine]. To run one model many times, open the engine instead.
func Run(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: e.threads, Unshared: e.unshared,
		Chain: chain}
}

// chain returns the number of terms after which the rounding error of a sum stops growing. In
// measurements, this number was about 512 for matrix multiplications; in convolutions, the error
// never stopped growing.
func chain(op string) int {
	if op == "Conv" {
		return math.MaxInt
	}
	return 512
}

func (e engine) threads(n int) (backends.Engine, error) {
	e.List = e.With(Threads(n))
	return e, nil
}

func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}
