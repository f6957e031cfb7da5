package trt

import (
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// FP16 allows layers to compute in float16.
//
// TensorRT 10 uses an allowed precision only in layers that become faster, and possibly in none.
// The run's provenance says how many layers use float16, as far as the engine reveals their types;
// see [Detailed]. The same applies to BF16, FP8, INT8 and TF32.
//
// TensorRT 11 takes all types from the model. There, FP16 and [BF16] put Cast nodes into the model,
// as edit.ToFloat16 and edit.ToBFloat16 do, so that every layer that can compute in the type does
// so. Only one of the two options can be used there. The provenance says which layers stay in
// float32. This behaviour was tested only with a mock of TensorRT 11.
func FP16() Option { return flag("FP16", "FP16") }

// BF16 allows layers to compute in bfloat16. In TensorRT 11 it inserts casts, as [FP16] does.
func BF16() Option { return flag("BF16", "BF16") }

// FP8 allows layers to compute in 8-bit floats if the model has FP8 quantization (TensorRT 10).
func FP8() Option { return flag("FP8", "FP8") }

// TF32 allows tensor cores to round the inputs of float32 matrix multiplications and convolutions
// to TF32's 10-bit mantissa. It is off by default, as in Polygraphy, although TensorRT's own
// default is on.
func TF32() Option { return flag("TF32", "TF32") }

// StronglyTyped makes TensorRT use exactly the types in the model. In TensorRT 11 all engines are
// strongly typed. StronglyTyped cannot be combined with the precision options.
func StronglyTyped() Option {
	return field(option.Call("trt.StronglyTyped"), true,
		func(s *settings) *bool { return &s.StronglyTyped })
}

// PrecisionConstraints sets how strictly TensorRT 10 follows [LayerPrecision]: [Obey] or [Prefer].
// By default, TensorRT may ignore LayerPrecision. TensorRT 11 always obeys.
func PrecisionConstraints(how Constraints) Option {
	how = canonical(how)
	constant := map[Constraints]string{Obey: "trt.Obey", Prefer: "trt.Prefer"}[how]
	shown := option.Enum(how, constant)
	return building(option.Call("trt.PrecisionConstraints", shown), func(s *settings) error {
		if err := known("precision constraints", constraints, how); err != nil {
			return err
		}
		delete(s.Flags, flagObey)
		delete(s.Flags, flagPrefer)
		set(&s.Flags, string(how)+"_PRECISION_CONSTRAINTS", true)
		return nil
	})
}

// LayerPrecision sets the element type in which layers compute and return their outputs. layer is a
// name or an fnmatch pattern; the build fails if no layer matches. A pattern skips layers that do
// not compute floats. A name selects any layer, but TensorRT 10 may reject a layer that does not
// compute floats. If several patterns match a layer, the longest applies.
//
// In TensorRT 11 the type must be float32, float16 or bfloat16. The type then applies to the whole
// node that the layer belongs to, because it is set by casts in the model (see [FP16]).
//
// For layers that only move data (a reshape, a slice, a concatenation), LayerPrecision sets only
// the types of outputs. If FP16 is allowed, TensorRT may round the inputs of such layers, even with
// [Obey] and float32 for every layer. NVIDIA's Python bindings behave the same way
// (docs/evidence/tensorrt.md).
func LayerPrecision(layer string, t tensor.ElementType) Option {
	return typing("trt.LayerPrecision", layer, t,
		func(s *settings) *elementTypes { return &s.LayerTypes })
}

// TensorType sets the element type of an input or output (TensorRT 10). The name "*" means every
// input and output without a TensorType of its own.
func TensorType(name string, t tensor.ElementType) Option {
	return typing("trt.TensorType", name, t,
		func(s *settings) *elementTypes { return &s.TensorTypes })
}

func typing(function, name string, t tensor.ElementType,
	of func(*settings) *elementTypes) Option {
	return building(option.Call(function, name, inGoType(t)), func(s *settings) error {
		if _, ok := dataTypes[t]; !ok {
			return fmt.Errorf("TensorRT has no element type %v", t)
		}
		set(of(s), name, t)
		return nil
	})
}

// StrictNaNs makes kernels treat NaN as IEEE 754 requires, which rules out some kernels (TensorRT
// 10.6 and later).
func StrictNaNs() Option { return flag("StrictNaNs", "STRICT_NANS") }

// flag returns the option that sets one of TensorRT's builder flags.
func flag(function, name string) Option {
	newOption := building
	if name == flagVersionCompatible {
		newOption = option.New[settings]
	}
	return newOption(option.Call("trt."+function), func(s *settings) error {
		set(&s.Flags, name, true)
		return nil
	})
}

// ---- INT8 ----

// INT8 allows layers to compute in 8-bit integers (TensorRT 10). The scales come from the model's
// QuantizeLinear and DequantizeLinear nodes. Without such nodes, TensorRT computes the scales by
// calibration, with the inputs of [Calibrate] or, without that option, with the inputs of the run.
func INT8() Option { return flag("INT8", "INT8") }

// Calibrate sets the inputs for INT8 calibration: one batch per iteration, all with the most likely
// shape of the last profile.
func Calibrate(inputs fixtures.Inputs) Option {
	return option.LeftOut("trt.Calibrate", inputs.Origin().Text, func(s *settings) error {
		s.build = append(s.build, "trt.Calibrate")
		s.calibrate = &inputs
		return nil
	})
}

// CalibrationCache names the file of a calibration cache. If the file exists, its scales are used
// and no inputs are needed; otherwise the build calibrates the engine and writes the scales to the
// file.
func CalibrationCache(path string) Option {
	return field(option.Call("trt.CalibrationCache", path), path,
		func(s *settings) *string { return &s.INT8.Cache })
}

// EntropyCalibration computes the scales with TensorRT's first entropy calibrator; the default is
// the second one, ENTROPY_CALIBRATION_2.
func EntropyCalibration() Option { return calibrateBy("EntropyCalibration", "ENTROPY_CALIBRATION") }

// MinMaxCalibration computes the scales from the smallest and largest values.
func MinMaxCalibration() Option { return calibrateBy("MinMaxCalibration", "MINMAX_CALIBRATION") }

func calibrateBy(function, algorithm string) Option {
	return building(option.Call("trt."+function), func(s *settings) error {
		s.INT8.Algorithm, s.INT8.Quantile, s.INT8.Cutoff = algorithm, 0, 0
		return nil
	})
}

// LegacyCalibration calibrates with the given quantile of the values and the given regression
// cutoff, both in [0,1]; Polygraphy uses 0.5 for both.
func LegacyCalibration(quantile, regressionCutoff float64) Option {
	return building(option.Call("trt.LegacyCalibration", quantile, regressionCutoff),
		func(s *settings) error {
			if !(min(quantile, regressionCutoff) >= 0 && max(quantile, regressionCutoff) <= 1) {
				return fmt.Errorf("the quantile and the regression cutoff must be 0 to 1, got %v and %v",
					quantile, regressionCutoff)
			}
			s.INT8.Algorithm, s.INT8.Quantile, s.INT8.Cutoff = legacyCalibration, quantile,
				regressionCutoff
			return nil
		})
}

// CalibrateBeforeFusion calibrates the layers of the model rather than the fused layers (TensorRT
// 10).
func CalibrateBeforeFusion() Option {
	return element(option.Call("trt.CalibrateBeforeFusion"), "CALIBRATE_BEFORE_FUSION",
		func(s *settings) *[]string { return &s.Quantization })
}

// ---- Shapes ----

// Profile adds an optimization profile, which sets the range of shapes of every dynamic input. An
// engine can have several profiles; [ProfileIndex] selects the profile that runs. Without this
// option, a profile is derived from the inputs of the run. In it, each dimension of a dynamic input
// ranges from its smallest to its largest size in all iterations. The most likely shape is the
// shape in the first iteration. The run's provenance says if a profile was derived.
func Profile(ranges ...ProfileRange) Option {
	ranges = sortedRanges(ranges)
	var arguments []any
	for _, r := range ranges {
		arguments = append(arguments, r.argument())
	}
	return building(option.Call("trt.Profile", arguments...), func(s *settings) error {
		s.Profiles = append(s.Profiles, ranges)
		return checkRanges(ranges)
	})
}

// ProfileIndex selects the optimization profile that runs; the default is 0.
func ProfileIndex(index int) Option {
	return option.Field(option.Call("trt.ProfileIndex", index), index,
		func(s *settings) *int { return &s.Profile })
}

// ---- Tensors ----

// MarkAll turns every tensor that the GPU computes into an output. This prevents the fusion of
// layers, so the results can differ from the results without the option. [Debug] does not have this
// effect.
func MarkAll() Option {
	return field(option.Call("trt.MarkAll"), true, func(s *settings) *bool { return &s.Marks.All })
}

// MarkOnly sets the tensors that a run returns, as Polygraphy's --trt-outputs does. The model's own
// outputs are removed unless they are named. Each name is a tensor's name or, as in Polygraphy, an
// fnmatch pattern. A pattern that matches no tensor is an error.
func MarkOnly(names ...string) Option {
	return patterns("trt.MarkOnly", names, func(m *marks) *[]string { return &m.Only })
}

// MarkTypes makes a run also return the outputs of every layer of the given types: "CONVOLUTION",
// "SOFTMAX", ….
func MarkTypes(types ...LayerType) Option {
	return each(types, func(kind LayerType) Option {
		kind = canonical(kind)
		return element(option.Call("trt.MarkTypes", string(kind)), kind,
			func(s *settings) *[]LayerType { return &s.Marks.Types },
			known("layer type", trtabi.LayerTypes, kind))
	})
}

// Unmark removes outputs, by name or pattern. At least one output must remain.
func Unmark(names ...string) Option {
	return patterns("trt.Unmark", names, func(m *marks) *[]string { return &m.Exclude })
}

// Debug makes a run return the named tensors after the outputs; names may be patterns. The tensors
// are read while the engine runs, and layers are fused unless that would hide a tensor.
//
// This needs TensorRT 10.12 or later. Earlier builders can crash the process on debug tensors
// (docs/evidence/tensorrt.md), so with an earlier version the tensors become outputs instead, as
// with [MarkAll]. The same happens if a later version rejects one of the tensors. The run's
// provenance says if the tensors are outputs. For a plan, the names refer to the plan's debug
// tensors.
func Debug(names ...string) Option {
	return each(names, func(name string) Option {
		return option.New(option.Call("trt.Debug", name), func(s *settings) error {
			s.Marks.Debug = with(s.Marks.Debug, name)
			return nil
		})
	})
}

// DebugUnfused makes a run return every tensor that remains after fusion. It does not change the
// fusion (TensorRT 10.12 and later).
func DebugUnfused() Option {
	return option.Field(option.Call("trt.DebugUnfused"), true,
		func(s *settings) *bool { return &s.Marks.Unfused })
}

func patterns(function string, names []string, of func(*marks) *[]string) Option {
	return each(names, func(name string) Option {
		return element(option.Call(function, name), name,
			func(s *settings) *[]string { return of(&s.Marks) })
	})
}

// TensorFormats sets the memory layouts that an input or output may have in the engine. The tensors
// of a run are always row-major, even if the engine uses a different layout. The name "*" means
// every input and output without a TensorFormats of its own.
func TensorFormats(name string, formats ...TensorFormat) Option {
	var sorted []TensorFormat
	for _, format := range formats {
		sorted = with(sorted, canonical(format))
	}
	return building(option.Call("trt.TensorFormats", option.Args(allInGo(sorted), name)...),
		func(s *settings) error {
			set(&s.Formats, name, sorted)
			return known("tensor format", trtabi.TensorFormats, sorted...)
		})
}
