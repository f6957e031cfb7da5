package trt

import (
	"fmt"
	"io"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// This file lists all options. It is long because TensorRT has many; each option has a name,
// arguments, and the setting that it changes.

// Option sets how an engine is built, found or run. By default an engine computes in float32
// without TF32, as Polygraphy's does, and everything else has TensorRT's default.
//
// Opening an engine reports all invalid options, in order. An option that the TensorRT in use does
// not support is an error of the build; for features that TensorRT 11 removed, the error names the
// replacement.
type Option = option.Option[settings]

// setting returns an option that also applies to a plan.
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

// each returns an option for several values.
func each[T any](values []T, one func(T) Option) Option {
	options := make([]Option, len(values))
	for i, value := range values {
		options[i] = one(value)
	}
	return option.Join(options...)
}

// set writes into a map that may be nil.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// ---- Precision ----

// FP16 allows layers to compute in float16 (TensorRT 10).
//
// TensorRT uses an allowed precision if it is faster, which may be in no layer at all. The run's
// provenance says in how many layers, as far as the engine reveals it; see [ProfilingVerbosity].
// The same applies to BF16, FP8, INT8 and TF32.
func FP16() Option { return BuilderFlag(FlagFP16, true) }

// BF16 allows layers to compute in bfloat16 (TensorRT 10).
func BF16() Option { return BuilderFlag(FlagBF16, true) }

// FP8 allows layers to compute in 8-bit floats if the model has FP8 quantization (TensorRT 10).
func FP8() Option { return BuilderFlag(FlagFP8, true) }

// TF32 allows float32 layers to round their operands to TF32's 10-bit mantissa on tensor cores. It
// is off by default, as in Polygraphy, although TensorRT's own default is on.
func TF32() Option { return BuilderFlag(FlagTF32, true) }

// StronglyTyped makes the model's types binding: TensorRT chooses none. In TensorRT 11 all engines
// are strongly typed. It excludes the precision options.
func StronglyTyped() Option {
	return building(option.Call("trt.StronglyTyped"), func(s *settings) error {
		s.StronglyTyped = true
		return nil
	})
}

// PrecisionConstraints sets how strictly TensorRT follows [LayerPrecision]: [Obey], [Prefer], or
// [NoConstraints], the default (TensorRT 10).
func PrecisionConstraints(how Constraints) Option {
	how = canonical(how)
	return building(option.Call("trt.PrecisionConstraints", how), func(s *settings) error {
		if _, err := known("precision constraints", how, constraints); err != nil {
			return err
		}
		delete(s.Flags, FlagObeyPrecisionConstraints)
		delete(s.Flags, FlagPreferPrecisionConstraints)
		if how != NoConstraints {
			set(&s.Flags, Flag(how)+"_PRECISION_CONSTRAINTS", true)
		}
		return nil
	})
}

// LayerPrecision sets the element type of layers and of their outputs (TensorRT 10). layer is a
// name or an fnmatch pattern; it is an error if it matches no layer. A pattern skips layers that
// compute no floats; a name does not, and TensorRT may then reject the layer. If several match a
// layer, the one that matches the fewest layers applies.
//
// For layers that only move data (a reshape, a slice, a concatenation), only the outputs' types are
// binding: with FP16 allowed, TensorRT may round their inputs, even if every layer must obey
// float32. NVIDIA's Python bindings behave the same (docs/evidence/tensorrt.md).
func LayerPrecision(layer string, t tensor.ElementType) Option {
	return typing("trt.LayerPrecision", layer, t,
		func(s *settings) *map[string]string { return &s.LayerTypes })
}

// TensorType sets the element type of an input or output (TensorRT 10). "*" means every input and
// output that is not named.
func TensorType(name string, t tensor.ElementType) Option {
	return typing("trt.TensorType", name, t,
		func(s *settings) *map[string]string { return &s.TensorTypes })
}

func typing(function, name string, t tensor.ElementType,
	of func(*settings) *map[string]string) Option {
	return building(option.Call(function, name, goType{t}), func(s *settings) error {
		if _, ok := dataTypes[t]; !ok {
			return fmt.Errorf("TensorRT has no element type %v", t)
		}
		set(of(s), name, t.String())
		return nil
	})
}

// BuilderFlag sets or clears any of TensorRT's builder flags. The common flags also have their own
// options.
func BuilderFlag(flag Flag, on bool) Option {
	flag = canonical(flag)
	kind, call := building, option.Call("trt.BuilderFlag", flag, on)
	switch name := flagOptions[flag]; {
	case flag == FlagObeyPrecisionConstraints && on:
		return PrecisionConstraints(Obey)
	case flag == FlagPreferPrecisionConstraints && on:
		return PrecisionConstraints(Prefer)
	case name != "" && on:
		call = option.Call("trt." + name)
	}
	if flag == FlagVersionCompatible {
		kind = setting
	}
	return kind(call, func(s *settings) error {
		_, err := known("builder flag", flag, flags)
		set(&s.Flags, flag, on)
		return err
	})
}

// flagOptions maps flags to the options that set one flag.
var flagOptions = map[Flag]string{FlagFP16: "FP16", FlagBF16: "BF16", FlagFP8: "FP8",
	FlagTF32: "TF32", FlagINT8: "INT8", FlagErrorOnTimingCacheMiss: "ErrorOnTimingCacheMiss",
	FlagDisableCompilationCache: "DisableCompilationCache",
	FlagVersionCompatible:       "VersionCompatible", FlagExcludeLeanRuntime: "ExcludeLeanRuntime",
	FlagRefit: "Refittable", FlagWeightStreaming: "WeightStreaming",
	FlagSparseWeights: "SparseWeights", FlagDirectIO: "DirectIO", FlagGPUFallback: "GPUFallback"}

// ---- INT8 ----

// INT8 allows layers to compute in 8-bit integers (TensorRT 10). The scales come from the model's
// QuantizeLinear and DequantizeLinear nodes; a model that has none is calibrated with the inputs of
// the run, or the inputs of [Calibrate].
func INT8() Option { return BuilderFlag(FlagINT8, true) }

// Calibrate sets the inputs of INT8 calibration: one batch per iteration, all of one shape.
func Calibrate(inputs fixtures.Inputs) Option {
	return option.LeftOut("trt.Calibrate", inputs.Origin().Text, func(s *settings) error {
		s.build = append(s.build, "trt.Calibrate")
		s.calibrate = &inputs
		return nil
	})
}

// CalibrationCache names the file of a calibration cache: if it exists, it replaces the inputs;
// otherwise it is written.
func CalibrationCache(path string) Option {
	return building(option.Call("trt.CalibrationCache", path), func(s *settings) error {
		s.INT8.Cache = path
		return nil
	})
}

// CalibrateBy sets how the scales are computed; the default is [EntropyCalibration2].
func CalibrateBy(algorithm CalibrationAlgorithm) Option {
	algorithm = canonical(algorithm)
	return building(option.Call("trt.CalibrateBy", algorithm), func(s *settings) error {
		_, err := known("calibration algorithm", algorithm, calibrationAlgorithms[1:])
		if s.INT8.Algorithm = algorithm; algorithm == EntropyCalibration2 {
			s.INT8.Algorithm = ""
		}
		s.INT8.Quantile, s.INT8.Cutoff = 0, 0
		return err
	})
}

// LegacyCalibration calibrates with the given quantile of the values and the given regression
// cutoff, both in [0,1]; Polygraphy uses 0.5 for both.
func LegacyCalibration(quantile, regressionCutoff float64) Option {
	return building(option.Call("trt.LegacyCalibration", quantile, regressionCutoff),
		func(s *settings) error {
			for _, n := range []float64{quantile, regressionCutoff} {
				if !(n >= 0 && n <= 1) {
					return fmt.Errorf("want two numbers in [0,1], got %v", n)
				}
			}
			s.INT8.Algorithm, s.INT8.Quantile, s.INT8.Cutoff = legacyCalibration, quantile,
				regressionCutoff
			return nil
		})
}

// QuantizationFlags sets flags of INT8 calibration (TensorRT 10).
func QuantizationFlags(flags ...QuantizationFlag) Option {
	return each(flags, func(flag QuantizationFlag) Option {
		flag = canonical(flag)
		return building(option.Call("trt.QuantizationFlags", flag), func(s *settings) error {
			_, err := known("quantization flag", flag, trtabi.QuantizationFlags)
			s.Quantization = with(s.Quantization, flag)
			return err
		})
	})
}

// ---- Shapes ----

// Profile adds an optimization profile: the shapes of every dynamic input. An engine can have
// several; [ProfileIndex] selects which one runs. Without a profile, one is derived from the inputs
// of the run: for each dimension of a dynamic input the smallest and largest size in all
// iterations, and as the most likely shape the shape of the first iteration. The run's provenance
// then says so.
func Profile(ranges ...ProfileRange) Option {
	ranges = sortedRanges(ranges)
	return building(option.Call("trt.Profile", option.Args(ranges)...), func(s *settings) error {
		s.Profiles = append(s.Profiles, ranges)
		return checkRanges(ranges)
	})
}

// ProfileSides is a [Profile] given as three sides, like Polygraphy's --trt-min-shapes,
// --trt-opt-shapes and --trt-max-shapes. A shape missing from a side is taken from the previous
// side: a shape only in lowest is used for all three.
func ProfileSides(lowest, likely, highest Shapes) Option {
	ranges, err := besides(lowest, likely, highest)
	if err != nil {
		return building(option.Call("trt.ProfileSides", lowest, likely, highest),
			func(*settings) error { return err })
	}
	return Profile(ranges...)
}

// ProfileIndex selects the optimization profile that runs; the default is 0.
func ProfileIndex(index int) Option {
	return setting(option.Call("trt.ProfileIndex", index), func(s *settings) error {
		s.Profile = index
		return nil
	})
}

// ---- Tensors ----

// MarkAll makes every tensor of the network that the GPU computes an output. This keeps layers from
// being fused, so the engine's results can differ from the unmarked engine's. [Debug] does not have
// this effect.
func MarkAll() Option {
	return building(option.Call("trt.MarkAll"), func(s *settings) error {
		s.Marks.All = true
		return nil
	})
}

// Mark adds tensors to the model's outputs, by name or, as in Polygraphy, by fnmatch pattern. It is
// an error if a pattern matches no tensor.
func Mark(names ...string) Option {
	return patterns("trt.Mark", names, func(m *marks) *[]string { return &m.Names })
}

// MarkOnly is [Mark], but removes the model's own outputs that it does not name, as Polygraphy's
// --trt-outputs does.
func MarkOnly(names ...string) Option {
	return patterns("trt.MarkOnly", names, func(m *marks) *[]string { return &m.Only })
}

// MarkTypes adds the outputs of every layer of these types: "CONVOLUTION", "SOFTMAX", ….
func MarkTypes(types ...LayerType) Option {
	return each(types, func(kind LayerType) Option {
		kind = canonical(kind)
		return building(option.Call("trt.MarkTypes", kind), func(s *settings) error {
			_, err := known("layer type", kind, trtabi.LayerTypes)
			s.Marks.Types = with(s.Marks.Types, kind)
			return err
		})
	})
}

// Unmark removes outputs, by name or pattern; at least one must remain.
func Unmark(names ...string) Option {
	return patterns("trt.Unmark", names, func(m *marks) *[]string { return &m.Exclude })
}

// Debug reads tensors, by name or pattern, while the engine runs, and returns them after the
// outputs. Layers are fused unless that would hide the tensor. Each tensor is read from its own
// engine, so that reading one does not affect another; the engines come from the engine cache.
//
// TensorRT 10.12 and later report them as debug tensors. Earlier builders can crash the process on
// debug tensors (docs/evidence/tensorrt.md), so each tensor becomes an output of its engine
// instead, as does one that a later TensorRT rejects. The run's provenance says so. For a plan, the
// names are of its debug tensors.
func Debug(names ...string) Option {
	return each(names, func(name string) Option {
		return setting(option.Call("trt.Debug", name), func(s *settings) error {
			s.Marks.Debug = with(s.Marks.Debug, name)
			return nil
		})
	})
}

// DebugUnfused reads every tensor that remains after fusion, without changing the fusion (TensorRT
// 10.12 and later).
func DebugUnfused() Option {
	return setting(option.Call("trt.DebugUnfused"), func(s *settings) error {
		s.Marks.Unfused = true
		return nil
	})
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

// TensorFormats sets the layouts that an input or output may have in the engine; tensors of a run
// are always row-major, whatever the engine uses. "*" means every input and output that is not
// named.
func TensorFormats(name string, formats ...TensorFormat) Option {
	var sorted []TensorFormat
	for _, format := range formats {
		sorted = with(sorted, canonical(format))
	}
	return building(option.Call("trt.TensorFormats", option.Args(sorted, name)...),
		func(s *settings) error {
			set(&s.Formats, name, sorted)
			for _, format := range sorted {
				if _, err := known("tensor format", format, trtabi.TensorFormats); err != nil {
					return err
				}
			}
			return nil
		})
}

// ---- The build ----

// PoolLimit limits a memory pool of the builder, in bytes.
func PoolLimit(pool MemoryPool, bytes int) Option {
	pool = canonical(pool)
	return building(option.Call("trt.PoolLimit", pool, bytes), func(s *settings) error {
		if bytes < 0 {
			return fmt.Errorf("a limit of %d bytes; want 0 or more", bytes)
		}
		_, err := known("memory pool", pool, trtabi.MemoryPools)
		set(&s.Pools, pool, bytes)
		return err
	})
}

// OptimizationLevel sets how long the builder searches for fast kernels, from 0 to 5; the default
// is 3.
func OptimizationLevel(level int) Option {
	return building(option.Call("trt.OptimizationLevel", level), func(s *settings) error {
		if level < 0 || level > 5 {
			return fmt.Errorf("unknown optimization level %d; the levels are 0 to 5", level)
		}
		s.Level = &level
		return nil
	})
}

// Tiling sets how much effort the builder spends on tiling (TensorRT 10.9 and later).
func Tiling(level TilingLevel) Option {
	return chosen("trt.Tiling", "tiling level", level, trtabi.TilingLevels,
		func(s *settings) *TilingLevel { return &s.Tiling })
}

// TacticSources sets the libraries from which the builder may take kernels, in addition to
// TensorRT.
func TacticSources(sources ...KernelSource) Option {
	sorted := []KernelSource{}
	for _, source := range sources {
		sorted = with(sorted, canonical(source))
	}
	return building(option.Call("trt.TacticSources", option.Args(sorted)...),
		func(s *settings) error {
			s.Kernels = &sorted
			for _, source := range sorted {
				if _, err := known("tactic source", source, kernelSources); err != nil {
					return err
				}
			}
			return nil
		})
}

// SaveTactics records the implementation that TensorRT chooses for each layer, in the file format
// of Polygraphy's --save-tactics. [LoadTactics] and Polygraphy's --load-tactics build with the same
// choices: if two builds of a model give different results, this shows whether the choices are the
// cause.
//
// The file is written atomically after each build. A recording engine is always built, because an
// engine from the cache does not reveal its choices. If a [TimingCache] has a layer's timings, they
// decide the choice; without one the build measures everything. The engines of debug tensors are
// not recorded. TensorRT 10 only: 11 has editable timing caches instead.
func SaveTactics(path string) Option {
	return file("trt.SaveTactics", path, func(s *settings) *string { return &s.Tactics.Save })
}

// LoadTactics builds with the implementations that a file of [SaveTactics], or of Polygraphy's
// --save-tactics, names for each layer. The file's content is part of the engine's cache key. It
// needs TensorRT 10, in the release and on the kind of GPU that made the file.
//
// It is an error if TensorRT does not offer the recorded implementation, if it uses a different
// one, or if a layer of the engine is not in the file (Polygraphy only warns then): the model or
// the options have changed, and the engine is not the recorded one.
func LoadTactics(path string) Option {
	return file("trt.LoadTactics", path, func(s *settings) *string { return &s.Tactics.Load })
}

// TimingCache names the file of a timing cache: the builder reads measurements from it if it
// exists, and adds new ones after the build. It belongs to one TensorRT version and GPU. An engine
// from the engine cache needs no build and leaves the file unchanged.
func TimingCache(path string) Option {
	return option.Join(LoadTimingCache(path), SaveTimingCache(path))
}

// LoadTimingCache reads a [TimingCache] and leaves its file unchanged. The file must exist, unless
// [SaveTimingCache] names the same file.
func LoadTimingCache(path string) Option {
	return file("trt.LoadTimingCache", path, func(s *settings) *string { return &s.Timing.Load })
}

// SaveTimingCache adds a build's measurements to the file of a [TimingCache], which the build
// itself does not read.
func SaveTimingCache(path string) Option {
	return file("trt.SaveTimingCache", path, func(s *settings) *string { return &s.Timing.Save })
}

// ErrorOnTimingCacheMiss makes a build fail if its timing cache lacks a timing, so that it measures
// nothing.
func ErrorOnTimingCacheMiss() Option { return BuilderFlag(FlagErrorOnTimingCacheMiss, true) }

// DisableCompilationCache keeps compiled kernels out of the timing cache.
func DisableCompilationCache() Option { return BuilderFlag(FlagDisableCompilationCache, true) }

// HardwareCompatible builds an engine that also runs on other GPUs.
func HardwareCompatible(level HardwareLevel) Option {
	return chosen("trt.HardwareCompatible", "hardware compatibility level", level,
		trtabi.HardwareLevels, func(s *settings) *HardwareLevel { return &s.Hardware })
}

// VersionCompatible builds an engine that later releases of the same major version can load too. It
// contains the lean runtime, whose library must be in TensorRT's folder. Loading it runs code from
// the plan file, so a [Plan] needs the option as well.
func VersionCompatible() Option { return BuilderFlag(FlagVersionCompatible, true) }

// ExcludeLeanRuntime omits the lean runtime from a version-compatible engine: loading it then needs
// [LoadRuntime]. It needs [VersionCompatible].
func ExcludeLeanRuntime() Option { return BuilderFlag(FlagExcludeLeanRuntime, true) }

// Refittable builds an engine whose weights [Backend.Refit] can replace. The release notes of
// TensorRT 11.3.0 warn that such an engine can omit a matrix multiplication's bias.
func Refittable() Option { return BuilderFlag(FlagRefit, true) }

// StripPlan omits the weights from the plan, which makes it small. [Run] and opening an engine
// restore the model's weights; for an engine that [New] built, call [Backend.Refit]. The option
// also makes the engine [Refittable], because a stripped engine that is not refittable has
// undefined results with any weights but its own. See NVIDIA's sample_weight_stripping.
func StripPlan() Option { return option.Join(Refittable(), BuilderFlag(FlagStripPlan, true)) }

// SavePlan writes the engine as a plan file when it is opened, as [Backend.Save] does; with
// [StripPlan], without weights.
func SavePlan(path string) Option {
	return setting(option.Call("trt.SavePlan", path), func(s *settings) error {
		s.SavePlan = path
		return nil
	})
}

// WeightStreaming lets weights stay in the CPU's memory, within [WeightStreamingBudget]. It needs
// [StronglyTyped].
func WeightStreaming() Option { return BuilderFlag(FlagWeightStreaming, true) }

// SparseWeights allows kernels for weights of which at least two in every four are zero.
func SparseWeights() Option { return BuilderFlag(FlagSparseWeights, true) }

// DirectIO forbids reformatting at inputs and outputs.
func DirectIO() Option { return BuilderFlag(FlagDirectIO, true) }

// AuxStreams sets how many additional streams an inference may use; 0 means none.
func AuxStreams(n int) Option {
	return building(option.Call("trt.AuxStreams", n), func(s *settings) error {
		if n < 0 {
			return fmt.Errorf("%d auxiliary streams; want 0 or more", n)
		}
		s.AuxStreams = &n
		return nil
	})
}

// Preview turns on features that are off by default.
func Preview(features ...PreviewFeature) Option {
	return each(features, func(feature PreviewFeature) Option {
		feature = canonical(feature)
		return building(option.Call("trt.Preview", feature), func(s *settings) error {
			_, err := known("preview feature", feature, previewFeatures)
			set(&s.Preview, feature, true)
			return err
		})
	})
}

// DecomposableAttentions lets TensorRT compute attention with several kernels if it has no fused
// kernel for the types, masks and shapes; otherwise such a build fails (TensorRT 10.14 and later).
func DecomposableAttentions() Option {
	return building(option.Call("trt.DecomposableAttentions"), func(s *settings) error {
		s.Decomposable = true
		return nil
	})
}

// DLA builds for the deep learning accelerator with the given number. It is an error if the machine
// has none, or, without [GPUFallback], if it cannot run a layer. As in Polygraphy, TensorRT 10 then
// prefers the precisions of [LayerPrecision], and without GPUFallback uses [DirectIO], because the
// GPU would have to reformat data.
func DLA(core int) Option {
	return building(option.Call("trt.DLA", core), func(s *settings) error {
		s.DLA = &core
		return nil
	})
}

// GPUFallback lets the GPU run layers that a DLA cannot.
func GPUFallback() Option { return BuilderFlag(FlagGPUFallback, true) }

// Capability restricts the engine.
func Capability(capability EngineCapability) Option {
	return chosen("trt.Capability", "engine capability", capability, trtabi.Capabilities,
		func(s *settings) *EngineCapability { return &s.Capability })
}

// Platform sets the operating system that runs the engine; an engine for [WindowsAMD64] cannot run
// here (TensorRT 10.2 and later).
func Platform(platform RuntimePlatform) Option {
	return chosen("trt.Platform", "runtime platform", platform, trtabi.Platforms,
		func(s *settings) *RuntimePlatform { return &s.Platform })
}

// Plugins loads plugin libraries, in this order, for building and for running.
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
	return building(option.Call("trt.PluginInstanceNorm"), func(s *settings) error {
		s.PluginNorm = true
		return nil
	})
}

// ParserFlags sets flags of the ONNX parser.
func ParserFlags(flags ...ParserFlag) Option {
	return each(flags, func(flag ParserFlag) Option {
		flag = canonical(flag)
		return building(option.Call("trt.ParserFlags", flag), func(s *settings) error {
			_, err := known("parser flag", flag, trtabi.ParserFlags)
			s.ParserFlags = with(s.ParserFlags, flag)
			return err
		})
	})
}

// ProfilingVerbosity sets how much [Backend.Information] contains about layers. The default is
// [Detailed] if a lower precision is allowed, because nothing else reveals which layers use it, and
// otherwise [LayerNamesOnly].
func ProfilingVerbosity(verbosity Verbosity) Option {
	verbosity = canonical(verbosity)
	return building(option.Call("trt.ProfilingVerbosity", verbosity), func(s *settings) error {
		_, err := known("profiling verbosity", verbosity, trtabi.Verbosities)
		s.Verbosity = verbosity
		return err
	})
}

// ---- Where engines come from, and how they run ----

// EngineCache names the folder that keeps engines. The default is the folder in
// MODELPARITY_ENGINE_CACHE, or else modelparity/engines in the user's cache folder. The key of an
// engine is the model's bytes, the options, TensorRT's version and the GPU; parallel processes can
// share the folder, and build an engine once. The folder can be deleted at any time.
func EngineCache(folder string) Option {
	return setting(option.Call("trt.EngineCache", folder), func(s *settings) error {
		s.Cache, s.NoCache = folder, false
		return nil
	})
}

// NoEngineCache always builds the engine, and does not keep it. Two builds of a model can give
// different results: repeating a run then uses a different engine, and the run's provenance says
// so.
func NoEngineCache() Option {
	return setting(option.Call("trt.NoEngineCache"), func(s *settings) error {
		s.Cache, s.NoCache = "", true
		return nil
	})
}

// Library names TensorRT's library (libnvinfer.so.10, or libnvinfer_lean.so.10, which only runs
// engines) or its folder. The default is MODELPARITY_TENSORRT_LIBRARY_PATH, then the tensorrt_libs
// of Python environments, then the system's loader; 10 comes before 11. The lean runtime is
// searched last, in the same places (tensorrt_lean_libs).
func Library(path string) Option {
	return setting(option.Call("trt.Library", path), func(s *settings) error {
		s.Library = path
		return nil
	})
}

// Device sets the number of the GPU; the default is 0.
func Device(number int) Option {
	return setting(option.Call("trt.Device", number), func(s *settings) error {
		s.Device = number
		return nil
	})
}

// LoadRuntime loads version-compatible engines with the lean runtime of another version.
func LoadRuntime(path string) Option {
	return setting(option.Call("trt.LoadRuntime", path), func(s *settings) error {
		s.LoadRuntime = path
		return nil
	})
}

// AllocationStrategy sets when an inference allocates its working memory.
func AllocationStrategy(strategy Strategy) Option {
	strategy = canonical(strategy)
	return setting(option.Call("trt.AllocationStrategy", strategy), func(s *settings) error {
		_, err := known("allocation strategy", strategy, trtabi.Strategies)
		if s.Strategy = strategy; strategy == Static {
			s.Strategy = ""
		}
		return err
	})
}

// WeightStreamingBudget sets how many bytes of streamable weights the GPU holds; with -1, TensorRT
// chooses. The engine must be built with [WeightStreaming].
func WeightStreamingBudget(bytes int64) Option {
	return setting(option.Call("trt.WeightStreamingBudget", bytes), func(s *settings) error {
		s.Budget, s.Percent = &bytes, nil
		return nil
	})
}

// WeightStreamingPercent is [WeightStreamingBudget] as a percentage of the streamable weights.
func WeightStreamingPercent(percent float64) Option {
	return setting(option.Call("trt.WeightStreamingPercent", percent), func(s *settings) error {
		if !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("a weight streaming budget of %v%%; want 0 to 100", percent)
		}
		s.Percent, s.Budget = &percent, nil
		return nil
	})
}

// Streams makes the inferences of a session take turns among n CUDA streams; by default they share
// one. State that an inference leaves in its stream can affect the next; see relations.Repeat.
func Streams(n int) Option {
	return setting(option.Call("trt.Streams", n), func(s *settings) error {
		if n < 1 {
			return fmt.Errorf("%d streams; want 1 or more", n)
		}
		s.Streams = n
		return nil
	})
}

// WarmUp runs the first inputs n times before the measured iterations.
func WarmUp(n int) Option {
	return setting(option.Call("trt.WarmUp", n), func(s *settings) error {
		if n < 0 {
			return fmt.Errorf("%d warm-up runs; want 0 or more", n)
		}
		s.WarmUp = n
		return nil
	})
}

// Log writes TensorRT's log to w, from the given severity up. In a spec, pass GinkgoWriter, which
// shows the log only if the spec fails. The error of a call always includes TensorRT's errors.
func Log(w io.Writer, severity Severity) Option {
	return option.LeftOut("trt.Log", "a writer", func(s *settings) error {
		severity, err := known("severity", severity, severities)
		s.log, s.severity = w, trtabi.Severity(index(severities, severity))
		return err
	})
}

// OnProgress calls f with a line about the build when it advances, for a progress bar. TensorRT's
// threads call it, one at a time. Ginkgo does not need it: with a SpecContext, the build appears in
// the spec's progress reports.
func OnProgress(f func(line string)) Option {
	return option.LeftOut("trt.OnProgress", "a function", func(s *settings) error {
		s.progress = f
		return nil
	})
}

// chosen returns an option with one enumerator; the first enumerator is the default.
func chosen[E ~string](function, what string, e E, names []string,
	of func(*settings) *E) Option {
	e = canonical(e)
	return building(option.Call(function, e), func(s *settings) error {
		_, err := known(what, e, names)
		if *of(s) = e; string(e) == names[0] {
			*of(s) = ""
		}
		return err
	})
}

// file returns an option with a file of a build.
func file(function, path string, of func(*settings) *string) Option {
	return building(option.Call(function, path), func(s *settings) error {
		*of(s) = path
		return nil
	})
}

// with returns a sorted list with one more value, if it is new.
func with[T ~string](list []T, value T) []T {
	i, found := slices.BinarySearch(list, value)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, value)
}
