package trt

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// This file lists all options. It is long because TensorRT has many. Each option has a name,
// arguments, and the setting that it changes.

// Option sets how an engine is built, found or run. By default an engine computes in float32
// without TF32, as Polygraphy's does, and all other settings have TensorRT's defaults.
//
// Opening an engine reports all invalid options, in order. An option that the installed TensorRT
// does not support makes the build fail. If TensorRT 11 removed the feature, the error names the
// replacement.
type Option = option.Option[settings]

// setting returns an option that applies to a build and to a plan.
func setting(call option.Invocation, apply func(*settings) error) Option {
	return option.New(call, apply)
}

// building returns an option that applies only to a build; [Plan] rejects it.
func building(call option.Invocation, apply func(*settings) error) Option {
	return option.New(call, func(s *settings) error {
		s.build = append(s.build, call.GoString())
		return apply(s)
	})
}

// field returns an option that sets one field. kind is one of the functions building and setting.
func field[T any](kind func(option.Invocation, func(*settings) error) Option,
	call option.Invocation, value T, of func(*settings) *T, wrong ...error) Option {
	return kind(call, func(s *settings) error {
		*of(s) = value
		return errors.Join(wrong...)
	})
}

// each calls one for every value and joins the options that it returns.
func each[T any](values []T, one func(T) Option) Option {
	options := make([]Option, len(values))
	for i, value := range values {
		options[i] = one(value)
	}
	return option.Join(options...)
}

// set sets m[key] to value. It creates the map if it is nil.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// ---- Precision ----

// FP16 allows layers to compute in float16.
//
// TensorRT 10 uses an allowed precision only in layers that become faster, and possibly in none.
// The run's provenance says how many layers use float16, as far as the engine reveals their types;
// see [Detailed]. The same applies to BF16, FP8, INT8 and TF32.
//
// TensorRT 11 takes all types from the model. There, FP16 and [BF16] put Cast nodes into the model,
// as edit.ToFloat16 and edit.ToBFloat16 do, and all layers that can compute in the type do so. Only
// one of the two types can be used there. The provenance says which layers stay in float32. This
// was tested only with a mock of TensorRT 11.
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
// strongly typed. It cannot be combined with the precision options.
func StronglyTyped() Option {
	return field(building, option.Call("trt.StronglyTyped"), true,
		func(s *settings) *bool { return &s.StronglyTyped })
}

// PrecisionConstraints sets how strictly TensorRT 10 follows [LayerPrecision]: [Obey] or [Prefer].
// By default, TensorRT may ignore LayerPrecision. TensorRT 11 always obeys.
func PrecisionConstraints(how Constraints) Option {
	how = canonical(how)
	constant := map[Constraints]string{Obey: "trt.Obey", Prefer: "trt.Prefer"}[how]
	shown := option.Enum(how, constant)
	return building(option.Call("trt.PrecisionConstraints", shown), func(s *settings) error {
		if err := known("precision constraints", how, constraints); err != nil {
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
// not compute floats. A name also selects such a layer, and TensorRT 10 may then reject the layer.
// If several patterns match a layer, the longest applies.
//
// In TensorRT 11 the type must be float32, float16 or bfloat16. It applies to the whole node that
// the layer belongs to, by casts in the model (see [FP16]).
//
// For layers that only move data (a reshape, a slice, a concatenation), only the types of outputs
// are binding: with FP16 allowed, TensorRT may round their inputs, even if every layer must obey
// float32. NVIDIA's Python bindings behave the same way (docs/evidence/tensorrt.md).
func LayerPrecision(layer string, t tensor.ElementType) Option {
	return typing("trt.LayerPrecision", layer, t,
		func(s *settings) *map[string]string { return &s.LayerTypes })
}

// TensorType sets the element type of an input or output (TensorRT 10). The name "*" means every
// input and output without a TensorType of its own.
func TensorType(name string, t tensor.ElementType) Option {
	return typing("trt.TensorType", name, t,
		func(s *settings) *map[string]string { return &s.TensorTypes })
}

func typing(function, name string, t tensor.ElementType,
	of func(*settings) *map[string]string) Option {
	return building(option.Call(function, name, inGoType(t)), func(s *settings) error {
		if _, ok := dataTypes[t]; !ok {
			return fmt.Errorf("TensorRT has no element type %v", t)
		}
		set(of(s), name, t.String())
		return nil
	})
}

// StrictNaNs makes kernels treat NaN as IEEE 754 requires, which rules out some kernels (TensorRT
// 10.6 and later).
func StrictNaNs() Option { return flag("StrictNaNs", "STRICT_NANS") }

// flag returns the option that sets one of TensorRT's builder flags.
func flag(function, name string) Option {
	kind := building
	if name == flagVersionCompatible {
		kind = setting
	}
	return kind(option.Call("trt."+function), func(s *settings) error {
		set(&s.Flags, name, true)
		return nil
	})
}

// ---- INT8 ----

// INT8 allows layers to compute in 8-bit integers (TensorRT 10). The scales come from the model's
// QuantizeLinear and DequantizeLinear nodes. A model without such nodes is calibrated with the
// inputs of [Calibrate] or, without that option, with the inputs of the run.
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
// and no inputs are needed; otherwise the engine is built, and the calibration writes the file.
func CalibrationCache(path string) Option {
	return field(building, option.Call("trt.CalibrationCache", path), path,
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
			for _, n := range []float64{quantile, regressionCutoff} {
				if !(n >= 0 && n <= 1) {
					return fmt.Errorf("both numbers must be 0 to 1, got %v", n)
				}
			}
			s.INT8.Algorithm, s.INT8.Quantile, s.INT8.Cutoff = legacyCalibration, quantile,
				regressionCutoff
			return nil
		})
}

// CalibrateBeforeFusion calibrates the layers of the model rather than the fused layers (TensorRT
// 10).
func CalibrateBeforeFusion() Option {
	return listed("CalibrateBeforeFusion", "CALIBRATE_BEFORE_FUSION",
		func(s *settings) *[]string { return &s.Quantization })
}

// ---- Shapes ----

// Profile adds an optimization profile, which sets the range of shapes of every dynamic input. An
// engine can have several profiles; [ProfileIndex] selects the profile that runs. Without this
// option, a profile is derived from the inputs of the run. For each dimension of a dynamic input,
// it ranges from the smallest to the largest size in all iterations. Its most likely shape is the
// shape in the first iteration. The run's provenance then says so.
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
	return field(setting, option.Call("trt.ProfileIndex", index), index,
		func(s *settings) *int { return &s.Profile })
}

// ---- Tensors ----

// MarkAll turns every tensor that the GPU computes into an output. This keeps layers from being
// fused, so the results can differ from the results of the unmarked engine. [Debug] does not have
// this effect.
func MarkAll() Option {
	return field(building, option.Call("trt.MarkAll"), true,
		func(s *settings) *bool { return &s.Marks.All })
}

// Mark adds tensors to the model's outputs. Each name is a tensor's name or, as in Polygraphy, an
// fnmatch pattern. A pattern that matches no tensor is an error.
func Mark(names ...string) Option {
	return patterns("trt.Mark", names, func(m *marks) *[]string { return &m.Names })
}

// MarkOnly is like [Mark], but also removes the model's own outputs unless they are named, as
// Polygraphy's --trt-outputs does.
func MarkOnly(names ...string) Option {
	return patterns("trt.MarkOnly", names, func(m *marks) *[]string { return &m.Only })
}

// MarkTypes adds the outputs of every layer of these types: "CONVOLUTION", "SOFTMAX", ….
func MarkTypes(types ...LayerType) Option {
	return each(types, func(kind LayerType) Option {
		kind = canonical(kind)
		return building(option.Call("trt.MarkTypes", string(kind)), func(s *settings) error {
			err := known("layer type", kind, trtabi.LayerTypes)
			s.Marks.Types = with(s.Marks.Types, kind)
			return err
		})
	})
}

// Unmark removes outputs, by name or pattern. At least one output must remain.
func Unmark(names ...string) Option {
	return patterns("trt.Unmark", names, func(m *marks) *[]string { return &m.Exclude })
}

// Debug returns the named tensors after the outputs; names may be patterns. The tensors are read
// while the engine runs, and layers are fused unless that would hide a tensor.
//
// This needs TensorRT 10.12 or later. Earlier builders can crash the process on debug tensors
// (docs/evidence/tensorrt.md), so with an earlier version the tensors become outputs instead, as
// with [Mark]. So do they if a later version rejects one of them. The run's provenance says so. For
// a plan, the names refer to the plan's debug tensors.
func Debug(names ...string) Option {
	return each(names, func(name string) Option {
		return setting(option.Call("trt.Debug", name), func(s *settings) error {
			s.Marks.Debug = with(s.Marks.Debug, name)
			return nil
		})
	})
}

// DebugUnfused returns every tensor that remains after fusion. It does not change the fusion
// (TensorRT 10.12 and later).
func DebugUnfused() Option {
	return field(setting, option.Call("trt.DebugUnfused"), true,
		func(s *settings) *bool { return &s.Marks.Unfused })
}

func patterns(function string, names []string, of func(*marks) *[]string) Option {
	return each(names, func(name string) Option {
		return building(option.Call(function, name), func(s *settings) error {
			list := of(&s.Marks)
			*list = with(*list, name)
			return nil
		})
	})
}

// TensorFormats sets the memory layouts that an input or output may have in the engine. The tensors
// of a run are always row-major, even if the engine uses another layout. The name "*" means every
// input and output without a TensorFormats of its own.
func TensorFormats(name string, formats ...TensorFormat) Option {
	var sorted []TensorFormat
	for _, format := range formats {
		sorted = with(sorted, canonical(format))
	}
	return building(option.Call("trt.TensorFormats", option.Args(allInGo(sorted), name)...),
		func(s *settings) error {
			set(&s.Formats, name, sorted)
			for _, format := range sorted {
				if err := known("tensor format", format, trtabi.TensorFormats); err != nil {
					return err
				}
			}
			return nil
		})
}

// ---- The build ----

// PoolLimit limits one of the builder's memory pools, in bytes.
func PoolLimit(pool MemoryPool, bytes int) Option {
	pool = canonical(pool)
	return building(option.Call("trt.PoolLimit", inGo(pool), bytes), func(s *settings) error {
		if bytes < 0 {
			return fmt.Errorf("the limit must be 0 bytes or more, got %d", bytes)
		}
		err := known("memory pool", pool, trtabi.MemoryPools)
		set(&s.Pools, pool, bytes)
		return err
	})
}

// OptimizationLevel sets how long the builder searches for fast kernels, from 0 to 5; the default
// is 3.
func OptimizationLevel(level int) Option {
	return field(building, option.Call("trt.OptimizationLevel", level), &level,
		func(s *settings) **int { return &s.Level }, option.Refuse(level < 0 || level > 5,
			"unknown optimization level %d; the levels are 0 to 5", level))
}

// TilingFast makes the builder spend a little time on tiling; by default it spends none (TensorRT
// 10.9 and later).
func TilingFast() Option { return tiling("TilingFast", "FAST") }

// TilingModerate makes the builder spend more time on tiling than [TilingFast].
func TilingModerate() Option { return tiling("TilingModerate", "MODERATE") }

// TilingFull makes the builder spend the most time on tiling.
func TilingFull() Option { return tiling("TilingFull", "FULL") }

func tiling(function, level string) Option {
	return chosen(function, level, func(s *settings) *string { return &s.Tiling })
}

// TacticSources sets the libraries, besides TensorRT itself, from which the builder may take
// kernels.
func TacticSources(sources ...KernelSource) Option {
	sorted := []KernelSource{}
	for _, source := range sources {
		sorted = with(sorted, canonical(source))
	}
	return building(option.Call("trt.TacticSources", option.Args(allInGo(sorted))...),
		func(s *settings) error {
			s.Kernels = &sorted
			for _, source := range sorted {
				if err := known("tactic source", source, kernelSources); err != nil {
					return err
				}
			}
			return nil
		})
}

// SaveTactics records the implementation that TensorRT chooses for each layer, in the file format
// of Polygraphy's --save-tactics. [LoadTactics] and Polygraphy's --load-tactics build with the same
// choices. If two builds of a model give different results, this shows whether the choices are the
// cause.
//
// The file is written atomically after each build. With this option the engine is always built,
// because an engine from the cache does not reveal its choices. Timings in a [TimingCache] decide
// the choices; without a timing cache, the build measures everything. Engines for debug tensors are
// not recorded. TensorRT 10 only: TensorRT 11 has editable timing caches instead.
func SaveTactics(path string) Option {
	return file("trt.SaveTactics", path, func(s *settings) *string { return &s.Tactics.Save })
}

// LoadTactics makes the builder use, for each layer, the implementation that a file names. Such a
// file is written by [SaveTactics] or Polygraphy's --save-tactics. The file's content is part of
// the engine's cache key. The build needs the same release of TensorRT 10 and the same kind of GPU
// as the recording.
//
// The build fails if TensorRT does not offer the recorded implementation, if TensorRT uses a
// different one, or if the file lacks a layer of the engine (Polygraphy only warns about a missing
// layer). In all three cases the model or the options have changed since the recording.
func LoadTactics(path string) Option {
	return file("trt.LoadTactics", path, func(s *settings) *string { return &s.Tactics.Load })
}

// TimingCache names the file of a timing cache. The builder reads measurements from the file if it
// exists, and adds new ones after the build. A timing cache is valid for one version of TensorRT
// and one GPU. If the file exists and the engine cache has the engine, nothing is built and the
// file stays unchanged.
func TimingCache(path string) Option {
	return option.Join(LoadTimingCache(path), SaveTimingCache(path))
}

// LoadTimingCache reads the file of a [TimingCache] and leaves it unchanged. The file must exist,
// unless [SaveTimingCache] names the same file.
func LoadTimingCache(path string) Option {
	return file("trt.LoadTimingCache", path, func(s *settings) *string { return &s.Timing.Load })
}

// SaveTimingCache adds the measurements of a build to the file of a [TimingCache]. The build itself
// does not read the file. With this option alone the engine is always built.
func SaveTimingCache(path string) Option {
	return file("trt.SaveTimingCache", path, func(s *settings) *string { return &s.Timing.Save })
}

// ErrorOnTimingCacheMiss makes a build fail if the timing cache lacks a timing, so that no build
// measures anything.
func ErrorOnTimingCacheMiss() Option {
	return flag("ErrorOnTimingCacheMiss", "ERROR_ON_TIMING_CACHE_MISS")
}

// DisableCompilationCache keeps compiled kernels out of the timing cache.
func DisableCompilationCache() Option {
	return flag("DisableCompilationCache", "DISABLE_COMPILATION_CACHE")
}

// EditableTimingCache adds to the timing cache the data that is needed to edit it (TensorRT 10.8
// and later).
func EditableTimingCache() Option {
	return flag("EditableTimingCache", "EDITABLE_TIMING_CACHE")
}

// AmperePlus builds an engine that also runs on other GPUs of Ampere and later architectures.
func AmperePlus() Option { return hardware("AmperePlus", "AMPERE_PLUS") }

// SameComputeCapability builds an engine that also runs on other GPUs with the same compute
// capability (TensorRT 10.9 and later).
func SameComputeCapability() Option {
	return hardware("SameComputeCapability", "SAME_COMPUTE_CAPABILITY")
}

func hardware(function, level string) Option {
	return chosen(function, level, func(s *settings) *string { return &s.Hardware })
}

// VersionCompatible builds an engine that later releases with the same major version can load too.
// The engine contains the lean runtime, whose library must be in TensorRT's folder. Loading the
// engine runs code from the plan file, so a [Plan] needs this option as well.
func VersionCompatible() Option { return flag("VersionCompatible", "VERSION_COMPATIBLE") }

// ExcludeLeanRuntime leaves the lean runtime out of a version-compatible engine; loading the engine
// then needs [LoadRuntime]. Requires [VersionCompatible].
func ExcludeLeanRuntime() Option { return flag("ExcludeLeanRuntime", "EXCLUDE_LEAN_RUNTIME") }

// Refittable builds an engine whose weights [Backend.Refit] can replace. The release notes of
// TensorRT 11.3.0 warn that the bias of a matrix multiplication can be missing from such an engine.
func Refittable() Option { return flag("Refittable", "REFIT") }

// StripPlan leaves the weights out of the plan, which makes the plan small. [Run] and opening an
// engine restore the model's weights. For an engine that [New] built, call [Backend.Refit]. The
// option also makes the engine [Refittable], because a stripped engine that is not refittable has
// undefined results with any weights other than its original ones. See NVIDIA's
// sample_weight_stripping.
func StripPlan() Option {
	return building(option.Call("trt.StripPlan"), func(s *settings) error {
		set(&s.Flags, "REFIT", true)
		set(&s.Flags, flagStripPlan, true)
		return nil
	})
}

// SavePlan writes the engine as a plan file when it is opened, as [Backend.Save] does. With
// [StripPlan], the file has no weights.
func SavePlan(path string) Option {
	return field(setting, option.Call("trt.SavePlan", path), path,
		func(s *settings) *string { return &s.SavePlan })
}

// WeightStreaming allows weights to stay in the CPU's memory; [WeightStreamingBudget] limits the
// weights on the GPU. Requires [StronglyTyped].
func WeightStreaming() Option { return flag("WeightStreaming", "WEIGHT_STREAMING") }

// SparseWeights allows kernels for weights in which at least two of every four values are zero.
func SparseWeights() Option { return flag("SparseWeights", "SPARSE_WEIGHTS") }

// DirectIO forbids the engine to reformat its inputs and outputs.
func DirectIO() Option { return flag("DirectIO", "DIRECT_IO") }

// AuxStreams sets how many additional streams an inference may use; 0 means none.
func AuxStreams(n int) Option {
	return field(building, option.Call("trt.AuxStreams", n), &n,
		func(s *settings) **int { return &s.AuxStreams },
		option.Refuse(n < 0, "the number of streams must be 0 or more, got %d", n))
}

// ProfileSharing0806 turns on TensorRT's preview feature with this name (TensorRT 10).
func ProfileSharing0806() Option { return preview("ProfileSharing0806", "PROFILE_SHARING_0806") }

// AliasedPluginIO1003 turns on TensorRT's preview feature with this name: plugins whose outputs
// share memory with their inputs (TensorRT 10.3 and later).
func AliasedPluginIO1003() Option {
	return preview("AliasedPluginIO1003", "ALIASED_PLUGIN_IO_10_03")
}

// RuntimeActivationResize1010 turns on TensorRT's preview feature with this name (TensorRT 10.10
// and later).
func RuntimeActivationResize1010() Option {
	return preview("RuntimeActivationResize1010", "RUNTIME_ACTIVATION_RESIZE_10_10")
}

func preview(function, feature string) Option {
	return listed(function, feature, func(s *settings) *[]string { return &s.Preview })
}

// DecomposableAttentions lets TensorRT compute attention with several kernels if it has no fused
// kernel for the types, masks and shapes. Without this option such a build fails (TensorRT 10.14
// and later).
func DecomposableAttentions() Option {
	return field(building, option.Call("trt.DecomposableAttentions"), true,
		func(s *settings) *bool { return &s.Decomposable })
}

// DLA builds the engine for the deep learning accelerator (DLA) with the given number. The build
// fails if the machine has no DLA or, without [GPUFallback], if the DLA cannot run a layer. As in
// Polygraphy, TensorRT 10 then prefers the precisions set with [LayerPrecision] and, without
// GPUFallback, [DirectIO] is on too, because otherwise the GPU would have to reformat the data.
func DLA(core int) Option {
	return field(building, option.Call("trt.DLA", core), &core,
		func(s *settings) **int { return &s.DLA })
}

// GPUFallback lets the GPU run layers that the DLA cannot run.
func GPUFallback() Option { return flag("GPUFallback", "GPU_FALLBACK") }

// Safety restricts the engine to features that TensorRT's safety runtime supports.
func Safety() Option { return capability("Safety", "SAFETY") }

// DLAStandalone builds an engine that runs on a DLA without TensorRT.
func DLAStandalone() Option { return capability("DLAStandalone", "DLA_STANDALONE") }

func capability(function, name string) Option {
	return chosen(function, name, func(s *settings) *string { return &s.Capability })
}

// SafetyScope allows only layers that TensorRT's safety runtime supports.
func SafetyScope() Option { return flag("SafetyScope", "SAFETY_SCOPE") }

// ForWindows builds an engine that runs only on Windows (TensorRT 10.2 and later).
func ForWindows() Option {
	return chosen("ForWindows", "WINDOWS_AMD64",
		func(s *settings) *string { return &s.Platform })
}

// Plugins loads plugin libraries, in the given order, for the build and for runs.
func Plugins(paths ...string) Option {
	return each(paths, func(path string) Option {
		return setting(option.Call("trt.Plugins", path), func(s *settings) error {
			s.Plugins = append(s.Plugins, path)
			return nil
		})
	})
}

// PluginInstanceNorm makes the ONNX parser use the plugin for InstanceNormalization instead of
// TensorRT's own layers. A version-compatible engine cannot use it.
func PluginInstanceNorm() Option {
	return field(building, option.Call("trt.PluginInstanceNorm"), true,
		func(s *settings) *bool { return &s.PluginNorm })
}

// UINT8OnDLA makes the ONNX parser accept uint8 and asymmetric quantization, which only a DLA
// supports.
func UINT8OnDLA() Option {
	return parserFlag("UINT8OnDLA", "ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA")
}

// ReportCapabilityDLA makes the ONNX parser report what a DLA cannot run.
func ReportCapabilityDLA() Option {
	return parserFlag("ReportCapabilityDLA", "REPORT_CAPABILITY_DLA")
}

// PluginOverride lets plugins replace ONNX operators that have the same name.
func PluginOverride() Option { return parserFlag("PluginOverride", "ENABLE_PLUGIN_OVERRIDE") }

// AdjustForDLA makes the ONNX parser change the network so that a DLA can run more of it.
func AdjustForDLA() Option { return parserFlag("AdjustForDLA", "ADJUST_FOR_DLA") }

func parserFlag(function, name string) Option {
	return listed(function, name, func(s *settings) *[]string { return &s.ParserFlags })
}

// Detailed makes [Backend.Information] return everything about the engine's layers. It is the
// default if a lower precision is allowed, because nothing else reveals which layers use that
// precision; otherwise the default is [LayerNamesOnly].
func Detailed() Option { return verbosity("Detailed", detailed) }

// LayerNamesOnly makes [Backend.Information] return only the names of layers.
func LayerNamesOnly() Option { return verbosity("LayerNamesOnly", "LAYER_NAMES_ONLY") }

// NoLayers makes [Backend.Information] return nothing about layers.
func NoLayers() Option { return verbosity("NoLayers", "NONE") }

func verbosity(function, name string) Option {
	return chosen(function, name, func(s *settings) *string { return &s.Verbosity })
}

// ---- Where engines come from, and how they run ----

// EngineCache names the folder in which engines are kept. The default is the folder in
// MODELPARITY_ENGINE_CACHE, or else modelparity/engines in the user's cache folder. The cache key
// of an engine consists of the model's bytes, the options, TensorRT's version and the GPU. Parallel
// processes can share the folder; they build each engine once. The folder can be deleted at any
// time.
func EngineCache(folder string) Option {
	return setting(option.Call("trt.EngineCache", folder), func(s *settings) error {
		s.Cache, s.NoCache = folder, false
		return nil
	})
}

// NoEngineCache always builds the engine and does not keep it. Opening a model again therefore
// gives a new engine, and two engines of a model can give different results.
func NoEngineCache() Option {
	return setting(option.Call("trt.NoEngineCache"), func(s *settings) error {
		s.Cache, s.NoCache = "", true
		return nil
	})
}

// Library names TensorRT's library, or the folder that contains it. The library is
// libnvinfer.so.10, or libnvinfer_lean.so.10, the lean runtime, which cannot build engines. The
// default is MODELPARITY_TENSORRT_LIBRARY_PATH, then the Python package tensorrt_libs of an active
// virtual environment or of python3, then the system's loader; version 10 comes before 11. The lean
// runtime is searched for last, in the same places (tensorrt_lean_libs).
func Library(path string) Option {
	return field(setting, option.Call("trt.Library", path), path,
		func(s *settings) *string { return &s.Library })
}

// Device sets the number of the GPU; the default is 0.
func Device(number int) Option {
	return field(setting, option.Call("trt.Device", number), number,
		func(s *settings) *int { return &s.Device })
}

// LoadRuntime sets the path of the lean runtime from another TensorRT version. That runtime then
// loads the version-compatible engine.
func LoadRuntime(path string) Option {
	return field(setting, option.Call("trt.LoadRuntime", path), path,
		func(s *settings) *string { return &s.LoadRuntime })
}

// AllocateForProfile allocates as much working memory as the current profile needs. By default an
// inference has enough for every profile.
func AllocateForProfile() Option { return allocation("AllocateForProfile", "ON_PROFILE_CHANGE") }

// AllocateForShapes allocates as much working memory as the shapes of the current inputs need.
func AllocateForShapes() Option { return allocation("AllocateForShapes", "USER_MANAGED") }

func allocation(function, strategy string) Option {
	return field(setting, option.Call("trt."+function), strategy,
		func(s *settings) *string { return &s.Strategy })
}

// WeightStreamingBudget sets the number of bytes of streamable weights that stay on the GPU; with
// -1, TensorRT chooses the number. The engine must be built with [WeightStreaming].
func WeightStreamingBudget(bytes int64) Option {
	return setting(option.Call("trt.WeightStreamingBudget", bytes), func(s *settings) error {
		s.Budget, s.Percent = &bytes, nil
		return nil
	})
}

// WeightStreamingPercent sets the [WeightStreamingBudget] as a percentage of the streamable
// weights.
func WeightStreamingPercent(percent float64) Option {
	return setting(option.Call("trt.WeightStreamingPercent", percent), func(s *settings) error {
		if !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("the percentage must be 0 to 100, got %v", percent)
		}
		s.Percent, s.Budget = &percent, nil
		return nil
	})
}

// Streams makes the inferences of a session take turns on n CUDA streams; by default all use one
// stream. State that an inference leaves in a stream can affect the next inference on that stream;
// see relations.Repeat.
func Streams(n int) Option {
	return field(setting, option.Call("trt.Streams", n), n,
		func(s *settings) *int { return &s.Streams },
		option.Refuse(n < 1, "the number of streams must be 1 or more, got %d", n))
}

// WarmUp runs the inputs of the first iteration n times before the measured iterations.
func WarmUp(n int) Option {
	return field(setting, option.Call("trt.WarmUp", n), n,
		func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of runs must be 0 or more, got %d", n))
}

// Log writes TensorRT's log to w. Messages below level are omitted. [slog.LevelDebug] means
// TensorRT's VERBOSE, and any level above [slog.LevelError] means its INTERNAL_ERROR. In a spec,
// pass GinkgoWriter, which shows the log only if the spec fails. Errors always contain TensorRT's
// own errors.
func Log(w io.Writer, level slog.Level) Option {
	return option.LeftOut("trt.Log", "a writer", func(s *settings) error {
		levels := []slog.Level{slog.LevelError, slog.LevelWarn, slog.LevelInfo, slog.LevelDebug}
		s.log, s.severity = w, trtabi.InternalError
		for i, most := range levels {
			if level <= most {
				s.severity = trtabi.Severity(i + 1)
			}
		}
		return nil
	})
}

// chosen returns an option that sets one of TensorRT's enumerators.
func chosen(function, name string, of func(*settings) *string) Option {
	return field(building, option.Call("trt."+function), name, of)
}

// listed returns an option that adds one of TensorRT's enumerators to a list.
func listed(function, name string, of func(*settings) *[]string) Option {
	return building(option.Call("trt."+function), func(s *settings) error {
		*of(s) = with(*of(s), name)
		return nil
	})
}

// file returns an option that names a file for a build.
func file(function, path string, of func(*settings) *string) Option {
	return field(building, option.Call(function, path), path, of)
}

// with returns a sorted copy of list that also contains value.
func with[T ~string](list []T, value T) []T {
	i, found := slices.BinarySearch(list, value)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, value)
}
