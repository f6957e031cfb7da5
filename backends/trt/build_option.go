package trt

import (
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// PoolLimit limits a memory pool of the builder, in bytes: "WORKSPACE", "TACTIC_DRAM",
// "TACTIC_SHARED_MEMORY", or those of a DLA.
func PoolLimit(pool string, bytes int) Option {
	return func(s *settings) {
		if bytes < 0 {
			s.fail("memory pool %s: a limit of %d bytes", pool, bytes)
		}
		set(&s.build.Pools, s.enumerator("memory pool", pool, trtabi.MemoryPools), bytes)
	}
}

// timing is the files of the timing cache; "" for none.
type timing struct{ load, save string }

// TimingCache names the file of a timing cache: what the builder measured is read from it if it is
// there, and written to it after the build. It belongs to one TensorRT version and GPU. An engine
// that comes from the engine cache needs no build, and leaves the file as it is.
func TimingCache(path string) Option {
	return func(s *settings) { s.timing = timing{load: path, save: path} }
}

// LoadTimingCache reads a [TimingCache] that must be there, and leaves its file as it is.
func LoadTimingCache(path string) Option { return func(s *settings) { s.timing.load = path } }

// SaveTimingCache adds what a build measures to the file of a [TimingCache], which it does not
// read for the build.
func SaveTimingCache(path string) Option { return func(s *settings) { s.timing.save = path } }

// ErrorOnTimingCacheMiss makes a build fail where its timing cache does not have what it needs,
// so that it measures nothing.
func ErrorOnTimingCacheMiss() Option { return BuilderFlag("ERROR_ON_TIMING_CACHE_MISS", true) }

// DisableCompilationCache keeps compiled kernels out of the timing cache.
func DisableCompilationCache() Option { return BuilderFlag("DISABLE_COMPILATION_CACHE", true) }

// OptimizationLevel is how long the builder searches for fast kernels, from 0 to 5; 3 at first.
func OptimizationLevel(level int) Option {
	return func(s *settings) {
		if level < 0 || level > 5 {
			s.fail("optimization level %d; there are 0 to 5", level)
		}
		s.build.Level = &level
	}
}

// HardwareCompatible makes an engine that serves other GPUs too: "AMPERE_PLUS", or, from TensorRT
// 10.9 on, "SAME_COMPUTE_CAPABILITY".
func HardwareCompatible(level string) Option {
	return func(s *settings) {
		s.build.Hardware = s.enumerator("hardware compatibility level", level, trtabi.HardwareLevels)
	}
}

// VersionCompatible makes an engine that later releases of the same major version load too. It
// carries the lean runtime, whose library must lie beside TensorRT's, and loading it runs code
// from the plan file.
func VersionCompatible() Option { return BuilderFlag("VERSION_COMPATIBLE", true) }

// ExcludeLeanRuntime keeps the lean runtime out of a version-compatible engine: whoever loads it
// gives one by [LoadRuntime]. It needs [VersionCompatible].
func ExcludeLeanRuntime() Option { return BuilderFlag("EXCLUDE_LEAN_RUNTIME", true) }

// Refittable makes an engine whose weights [Engine.Refit] can replace. The release notes of
// TensorRT 11.3.0 warn that it can leave a matrix multiplication's bias out of such an engine.
func Refittable() Option { return BuilderFlag("REFIT", true) }

// StripPlan leaves the weights out of the plan, which is small then. The engine does not run before
// [Engine.Refit] has brought them; what [Engine.Save] writes after that has them. The option makes
// the engine [Refittable], because a stripped one that is not gives undefined numbers with other
// weights than its own. See NVIDIA's sample_weight_stripping.
func StripPlan() Option { return Options(Refittable(), BuilderFlag("STRIP_PLAN", true)) }

// WeightStreaming lets weights stay in the CPU's memory and follow [WeightStreamingBudget]. It
// needs [StronglyTyped].
func WeightStreaming() Option { return BuilderFlag("WEIGHT_STREAMING", true) }

// SparseWeights lets the builder use kernels for weights with two zeros in every four.
func SparseWeights() Option { return BuilderFlag("SPARSE_WEIGHTS", true) }

// DirectIO forbids reformatting at inputs and outputs.
func DirectIO() Option { return BuilderFlag("DIRECT_IO", true) }

// TacticSources is where the builder may take kernels from; without names, from TensorRT alone.
// "CUBLAS", "CUBLAS_LT" and "CUDNN" are of TensorRT 10 only.
func TacticSources(names ...string) Option {
	return func(s *settings) {
		known := slices.Sorted(maps.Keys(trtabi.TacticSources))
		sources := make([]string, len(names))
		for i, name := range names {
			sources[i] = s.enumerator("tactic source", name, known)
		}
		s.build.Tactics = &sources
	}
}

// AuxStreams is how many streams an inference may use beside its own; 0 keeps it in one.
func AuxStreams(n int) Option {
	return func(s *settings) {
		if n < 0 {
			s.fail("%d auxiliary streams", n)
		}
		s.build.AuxStreams = &n
	}
}

// Preview turns features on that are off at first, such as "ALIASED_PLUGIN_IO_10_03".
func Preview(features ...string) Option {
	return func(s *settings) {
		known := slices.Sorted(maps.Keys(trtabi.PreviewFeatures))
		for _, name := range features {
			set(&s.build.Preview, s.enumerator("preview feature", name, known), true)
		}
	}
}

// TensorFormats is the layouts that an input or output may have in the engine; tensors of a run
// are always row-major, whatever the engine uses. "*" is every input and output that is not named.
func TensorFormats(name string, formats ...string) Option {
	return func(s *settings) {
		for i, format := range formats {
			formats[i] = s.enumerator("tensor format", format, trtabi.TensorFormats)
		}
		set(&s.build.Formats, name, strings.Join(formats, "|"))
	}
}

// DecomposableAttentions lets TensorRT compute attentions by several kernels where it has no fused
// one for their types, masks and shapes; without it such a build fails (TensorRT 10.14 and later).
func DecomposableAttentions() Option { return func(s *settings) { s.build.Decomposable = true } }

// DLA builds for a deep learning accelerator, by its number. Where the machine has none, building
// is an error. Layers that it cannot run are an error too, unless [GPUFallback] is given. As in
// Polygraphy, TensorRT 10 prefers the precisions of [LayerPrecision] then, and without GPUFallback
// reformats nothing ([DirectIO]), which the GPU would have to do.
func DLA(core int) Option { return func(s *settings) { s.build.DLA = &core } }

// GPUFallback lets the GPU run layers that a DLA cannot.
func GPUFallback() Option { return BuilderFlag("GPU_FALLBACK", true) }

// Capability restricts the engine: "STANDARD", "SAFETY", "DLA_STANDALONE".
func Capability(name string) Option {
	return func(s *settings) {
		s.build.Capability = s.enumerator("engine capability", name, trtabi.Capabilities)
	}
}

// Platform is the operating system that the engine is for: "SAME_AS_BUILD", or "WINDOWS_AMD64",
// which cannot run here (TensorRT 10.2 and later).
func Platform(name string) Option {
	return func(s *settings) {
		s.build.Platform = s.enumerator("runtime platform", name, trtabi.Platforms)
	}
}

// TilingLevel is how hard the builder tries to tile: "NONE", "FAST", "MODERATE", "FULL" (TensorRT
// 10.9 and later).
func TilingLevel(name string) Option {
	return func(s *settings) {
		s.build.Tiling = s.enumerator("tiling level", name, trtabi.TilingLevels)
	}
}

// Plugins loads libraries of plugins, for building and for running.
func Plugins(paths ...string) Option {
	return func(s *settings) {
		s.build.Plugins = append(s.build.Plugins, paths...)
		s.run.plugins = append(s.run.plugins, paths...)
	}
}

// PluginInstanceNorm makes the ONNX parser use the plugin for InstanceNormalization in the place of
// TensorRT's own layers. A version-compatible engine cannot.
func PluginInstanceNorm() Option { return func(s *settings) { s.build.PluginNorm = true } }

// ParserFlags sets flags of the ONNX parser; "NATIVE_INSTANCENORM" is set at first.
func ParserFlags(names ...string) Option {
	return func(s *settings) {
		for _, name := range names {
			flag := s.enumerator("parser flag", name, trtabi.ParserFlags)
			s.build.ParserFlags = append(s.build.ParserFlags, flag)
		}
	}
}

// ProfilingVerbosity is how much [Engine.Information] tells: "LAYER_NAMES_ONLY" (at first),
// "NONE", "DETAILED".
func ProfilingVerbosity(name string) Option {
	return func(s *settings) {
		s.build.Verbosity = s.enumerator("profiling verbosity", name, trtabi.Verbosities)
	}
}
