package trt

import (
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// FP16 lets layers compute in float16 (TensorRT 10).
func FP16() Option { return BuilderFlag("FP16", true) }

// BF16 lets layers compute in bfloat16 (TensorRT 10).
func BF16() Option { return BuilderFlag("BF16", true) }

// FP8 lets layers compute in 8-bit floats where the model is quantized so (TensorRT 10).
func FP8() Option { return BuilderFlag("FP8", true) }

// TF32 lets float32 layers round their operands to TF32's 10-bit mantissa on tensor cores. It is
// off at first, as in Polygraphy, although TensorRT's own default is on.
func TF32() Option { return BuilderFlag("TF32", true) }

// StronglyTyped makes the model's own types binding: TensorRT chooses none. TensorRT 11 knows
// nothing else. It excludes the precision options.
func StronglyTyped() Option { return func(s *settings) { s.build.StronglyTyped = true } }

// PrecisionConstraints says what [LayerPrecision] is: "obey" (a build that cannot keep to it
// fails), "prefer", or "none" (TensorRT 10).
func PrecisionConstraints(how string) Option {
	return func(s *settings) {
		switch how {
		case "obey":
			BuilderFlag("OBEY_PRECISION_CONSTRAINTS", true)(s)
		case "prefer":
			BuilderFlag("PREFER_PRECISION_CONSTRAINTS", true)(s)
		case "none":
		default:
			s.fail("unknown precision constraints %q; there are obey, prefer, none", how)
		}
	}
}

// LayerPrecision sets the element type that layers compute in, and of their outputs (TensorRT 10).
// layer is a name or a pattern of fnmatch; one that fits no layer is an error. A pattern passes
// over layers that compute no floats; a name does not, and TensorRT may refuse it.
//
// Layers that only move data (a reshape, a slice, a concatenation) are bound by their outputs'
// types alone: with FP16 allowed, TensorRT may round what goes into one, even where every layer is
// to obey float32. NVIDIA's Python bindings get the same (docs/tensorrt.md).
func LayerPrecision(layer string, t tensor.ElementType) Option {
	return func(s *settings) { set(&s.build.LayerTypes, layer, s.dataType(t)) }
}

// TensorType sets the element type of an input or output (TensorRT 10). "*" is every input and
// output that is not named.
func TensorType(name string, t tensor.ElementType) Option {
	return func(s *settings) { set(&s.build.TensorTypes, name, s.dataType(t)) }
}

// BuilderFlag sets any of TensorRT's builder flags by its name, such as "STRICT_NANS"; the flags
// that are used most have options of their own.
func BuilderFlag(name string, on bool) Option {
	return func(s *settings) {
		known := slices.Sorted(maps.Keys(trtabi.BuilderFlags))
		set(&s.build.Flags, s.enumerator("builder flag", name, known), on)
	}
}

// replacement is what takes the place of an enumerator that TensorRT 11 removed.
var replacement = map[string]string{
	"FP16":                         castModel,
	"BF16":                         castModel,
	"INT8":                         quantizeModel,
	"FP8":                          quantizeModel,
	"INT4":                         quantizeModel,
	"FP4":                          quantizeModel,
	"OBEY_PRECISION_CONSTRAINTS":   typeModel,
	"PREFER_PRECISION_CONSTRAINTS": typeModel,
	"REJECT_EMPTY_ALGORITHMS":      "use an editable timing cache (EDITABLE_TIMING_CACHE) instead",
	"CUBLAS":                       "its implementations are TensorRT's own now; leave it out",
	"CUBLAS_LT":                    "its implementations are TensorRT's own now; leave it out",
	"CUDNN":                        "its implementations are TensorRT's own now; leave it out",
	"PROFILE_SHARING_0806":         "it is always on; leave it out",
}

const (
	castModel = "networks are strongly typed there: cast the model itself, for instance with " +
		"ModelOpt's AutoCast, or use TensorRT 10"
	quantizeModel = "networks are strongly typed there: put QuantizeLinear and DequantizeLinear " +
		"nodes into the model, for instance with ModelOpt, or use TensorRT 10"
	typeModel = "networks are strongly typed there: put Cast nodes into the model where a type " +
		"matters, or use TensorRT 10"
)
