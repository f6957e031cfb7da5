package trt

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// PoolLimit limits one of the builder's memory pools, in bytes.
func PoolLimit(pool MemoryPool, bytes int) Option {
	pool = canonical(pool)
	return building(option.Call("trt.PoolLimit", inGo(pool), bytes), func(s *settings) error {
		if bytes < 0 {
			return fmt.Errorf("the limit must be 0 bytes or more, got %d", bytes)
		}
		err := known("memory pool", trtabi.MemoryPools, pool)
		set(&s.Pools, pool, bytes)
		return err
	})
}

// OptimizationLevel sets how long the builder searches for fast kernels, from 0 to 5; the default
// is 3.
func OptimizationLevel(level int) Option {
	return field(option.Call("trt.OptimizationLevel", level), &level,
		func(s *settings) **int { return &s.Level }, option.Refuse(level < 0 || level > 5,
			"unknown optimization level %d; the levels are 0 to 5", level))
}

// TilingFast makes the builder spend a little time on tiling; by default it spends none (TensorRT
// 10.9 and later).
func TilingFast() Option { return field(option.Call("trt.TilingFast"), "FAST", tiling) }

// TilingModerate makes the builder spend more time on tiling than [TilingFast].
func TilingModerate() Option { return field(option.Call("trt.TilingModerate"), "MODERATE", tiling) }

// TilingFull makes the builder spend the most time on tiling.
func TilingFull() Option { return field(option.Call("trt.TilingFull"), "FULL", tiling) }

func tiling(s *settings) *string { return &s.Tiling }

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
			return known("tactic source", kernelSources, sorted...)
		})
}

// SaveTactics records the implementation that TensorRT chooses for each layer, in the file format
// of Polygraphy's --save-tactics. [LoadTactics] and Polygraphy's --load-tactics build with the same
// choices. If two builds of a model return different results, a build with the recorded choices
// shows whether the choices are the cause.
//
// The file is written atomically after each build. With this option the engine is always built,
// because an engine from the cache does not reveal its choices. Timings in a [TimingCache] decide
// the choices; without a timing cache, the build measures everything. Engines for debug tensors are
// not recorded. TensorRT 10 only: TensorRT 11 has editable timing caches instead.
func SaveTactics(path string) Option {
	return field(option.Call("trt.SaveTactics", path), path,
		func(s *settings) *string { return &s.Tactics.Save })
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
	return field(option.Call("trt.LoadTactics", path), path,
		func(s *settings) *string { return &s.Tactics.Load })
}

// TimingCache names the file of a timing cache. The builder reads measurements from the file if it
// exists, and adds new ones after the build. A timing cache is valid for one version of TensorRT
// and one GPU. If the file exists and the engine cache contains the engine, nothing is built and
// the file stays unchanged.
func TimingCache(path string) Option {
	return option.Join(LoadTimingCache(path), SaveTimingCache(path))
}

// LoadTimingCache reads the file of a [TimingCache] and leaves it unchanged. The file must exist,
// unless [SaveTimingCache] names the same file.
func LoadTimingCache(path string) Option {
	return field(option.Call("trt.LoadTimingCache", path), path,
		func(s *settings) *string { return &s.Timing.Load })
}

// SaveTimingCache adds the measurements of a build to the file of a [TimingCache]. The build itself
// does not read the file. Unless [LoadTimingCache] names the same file, the engine is always built,
// never taken from the engine cache.
func SaveTimingCache(path string) Option {
	return field(option.Call("trt.SaveTimingCache", path), path,
		func(s *settings) *string { return &s.Timing.Save })
}

// ErrorOnTimingCacheMiss makes a build fail, instead of measuring, if the timing cache lacks a
// timing.
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
func AmperePlus() Option { return field(option.Call("trt.AmperePlus"), "AMPERE_PLUS", hardware) }

// SameComputeCapability builds an engine that also runs on other GPUs with the same compute
// capability (TensorRT 10.9 and later).
func SameComputeCapability() Option {
	return field(option.Call("trt.SameComputeCapability"), "SAME_COMPUTE_CAPABILITY", hardware)
}

func hardware(s *settings) *string { return &s.Hardware }

// VersionCompatible builds an engine that later releases of the same major version can also load.
// The engine contains the lean runtime, whose library must be in TensorRT's folder. Loading such a
// plan runs code from the file; to allow that, pass this option to [Plan] too.
func VersionCompatible() Option { return flag("VersionCompatible", "VERSION_COMPATIBLE") }

// ExcludeLeanRuntime leaves the lean runtime out of a version-compatible engine; loading the engine
// then needs [LoadRuntime]. Requires [VersionCompatible].
func ExcludeLeanRuntime() Option { return flag("ExcludeLeanRuntime", "EXCLUDE_LEAN_RUNTIME") }

// Refittable builds an engine whose weights TensorRT's own refitter can replace. The release notes
// of TensorRT 11.3.0 warn that the bias of a matrix multiplication can be missing from such an
// engine.
func Refittable() Option { return flag("Refittable", "REFIT") }

// StripPlan leaves the weights out of the plan, which makes the plan small. Opening the engine
// restores the model's weights. A [Plan] without weights must be opened with its ONNX model. The
// option also makes the engine [Refittable]: a stripped engine that is not refittable returns
// undefined results unless its own original weights are restored. See NVIDIA's
// sample_weight_stripping.
func StripPlan() Option {
	return building(option.Call("trt.StripPlan"), func(s *settings) error {
		set(&s.Flags, "REFIT", true)
		set(&s.Flags, flagStripPlan, true)
		return nil
	})
}

// SavePlan writes the engine as a plan file when the engine is opened. The file is written
// atomically; [Plan] and NVIDIA's own tools can read it. With [StripPlan], it has no weights.
func SavePlan(path string) Option {
	return option.Field(option.Call("trt.SavePlan", path), path,
		func(s *settings) *string { return &s.SavePlan })
}

// WeightStreaming allows weights to stay in the CPU's memory; [WeightStreamingBudget] limits the
// weights on the GPU. Requires [StronglyTyped].
func WeightStreaming() Option { return flag("WeightStreaming", "WEIGHT_STREAMING") }

// SparseWeights allows kernels for weights in which at least two of every four values are zero.
func SparseWeights() Option { return flag("SparseWeights", "SPARSE_WEIGHTS") }

// DirectIO makes the engine read inputs and write outputs without reformatting them.
func DirectIO() Option { return flag("DirectIO", "DIRECT_IO") }

// AuxStreams sets how many additional streams an inference may use; 0 means none.
func AuxStreams(n int) Option {
	return field(option.Call("trt.AuxStreams", n), &n,
		func(s *settings) **int { return &s.AuxStreams },
		option.Refuse(n < 0, "the number of streams must be 0 or more, got %d", n))
}

// ProfileSharing0806 turns on TensorRT's preview feature with this name (TensorRT 10).
func ProfileSharing0806() Option {
	return element(option.Call("trt.ProfileSharing0806"), "PROFILE_SHARING_0806", preview)
}

// AliasedPluginIO1003 turns on TensorRT's preview feature with this name: plugins whose outputs
// share memory with their inputs (TensorRT 10.3 and later).
func AliasedPluginIO1003() Option {
	return element(option.Call("trt.AliasedPluginIO1003"), "ALIASED_PLUGIN_IO_10_03", preview)
}

// RuntimeActivationResize1010 turns on TensorRT's preview feature with this name (TensorRT 10.10
// and later).
func RuntimeActivationResize1010() Option {
	return element(option.Call("trt.RuntimeActivationResize1010"),
		"RUNTIME_ACTIVATION_RESIZE_10_10", preview)
}

func preview(s *settings) *[]string { return &s.Preview }

// DecomposableAttentions lets TensorRT compute attention with several kernels if it has no fused
// kernel for the types, masks and shapes. Without this option, the build fails if there is no fused
// kernel (TensorRT 10.14 and later).
func DecomposableAttentions() Option {
	return field(option.Call("trt.DecomposableAttentions"), true,
		func(s *settings) *bool { return &s.Decomposable })
}

// DLA builds the engine for the deep learning accelerator (DLA) with the given number. The build
// fails if the machine has no DLA or, without [GPUFallback], if the DLA cannot run a layer. As in
// Polygraphy, TensorRT 10 then prefers the precisions set with [LayerPrecision] and, without
// GPUFallback, [DirectIO] is on too, because otherwise the GPU would have to reformat the data.
func DLA(core int) Option {
	return field(option.Call("trt.DLA", core), &core,
		func(s *settings) **int { return &s.DLA })
}

// GPUFallback lets the GPU run layers that the DLA cannot run.
func GPUFallback() Option { return flag("GPUFallback", "GPU_FALLBACK") }

// Safety restricts the engine to features that TensorRT's safety runtime supports.
func Safety() Option { return field(option.Call("trt.Safety"), "SAFETY", capability) }

// DLAStandalone builds an engine that runs on a DLA without TensorRT.
func DLAStandalone() Option {
	return field(option.Call("trt.DLAStandalone"), "DLA_STANDALONE", capability)
}

func capability(s *settings) *string { return &s.Capability }

// SafetyScope allows only layers that TensorRT's safety runtime supports.
func SafetyScope() Option { return flag("SafetyScope", "SAFETY_SCOPE") }

// ForWindows builds an engine that runs only on Windows (TensorRT 10.2 and later).
func ForWindows() Option {
	return field(option.Call("trt.ForWindows"), "WINDOWS_AMD64",
		func(s *settings) *string { return &s.Platform })
}

// Plugins loads plugin libraries, in the given order, for the build and for runs.
func Plugins(paths ...string) Option {
	return each(paths, func(path string) Option {
		return option.New(option.Call("trt.Plugins", path), func(s *settings) error {
			s.Plugins = append(s.Plugins, path)
			return nil
		})
	})
}

// PluginInstanceNorm makes the ONNX parser use the plugin for InstanceNormalization instead of
// TensorRT's own layers. A version-compatible engine cannot use it.
func PluginInstanceNorm() Option {
	return field(option.Call("trt.PluginInstanceNorm"), true,
		func(s *settings) *bool { return &s.PluginNorm })
}

// UINT8OnDLA makes the ONNX parser accept uint8 and asymmetric quantization, which only a DLA
// supports.
func UINT8OnDLA() Option {
	return element(option.Call("trt.UINT8OnDLA"),
		"ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA", parserFlags)
}

// ReportCapabilityDLA makes the ONNX parser report what a DLA cannot run.
func ReportCapabilityDLA() Option {
	return element(option.Call("trt.ReportCapabilityDLA"), "REPORT_CAPABILITY_DLA", parserFlags)
}

// PluginOverride lets plugins replace ONNX operators that have the same name.
func PluginOverride() Option {
	return element(option.Call("trt.PluginOverride"), "ENABLE_PLUGIN_OVERRIDE", parserFlags)
}

// AdjustForDLA makes the ONNX parser change the network so that a DLA can run more of it.
func AdjustForDLA() Option {
	return element(option.Call("trt.AdjustForDLA"), "ADJUST_FOR_DLA", parserFlags)
}

func parserFlags(s *settings) *[]string { return &s.ParserFlags }

// Detailed makes [Describe] return everything about the engine's layers. It is the
// default if a lower precision is allowed, because nothing else reveals which layers use that
// precision; otherwise the default is [LayerNamesOnly].
func Detailed() Option { return field(option.Call("trt.Detailed"), detailed, verbosity) }

// LayerNamesOnly makes [Describe] return only the names of layers.
func LayerNamesOnly() Option {
	return field(option.Call("trt.LayerNamesOnly"), "LAYER_NAMES_ONLY", verbosity)
}

// NoLayers makes [Describe] return nothing about layers.
func NoLayers() Option { return field(option.Call("trt.NoLayers"), "NONE", verbosity) }

func verbosity(s *settings) *string { return &s.Verbosity }
