package trtflags

import (
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
)

// List returns Polygraphy's flags for building an engine.
func (f *Flags) List() []arguments.Flag {
	timings := func(flag arguments.Flag) arguments.Flag { // several may name the same file
		flag.File, flag.Shared = files.Updates, "timings"
		return flag
	}
	return []arguments.Flag{
		f.alone("--fp16", trt.FP16),
		f.alone("--bf16", trt.BF16),
		f.alone("--fp8", trt.FP8),
		f.alone("--tf32", trt.TF32),
		f.alone("--int8", trt.INT8),
		one(f, "--calibration-cache FILE", trt.CalibrationCache).On(files.Updates),
		f.flag("--calib-base-cls, --calibration-base-class CLASS", f.calibratorClass),
		f.flag("--quantile Q", arguments.Value(number, &f.quantile)),
		f.flag("--regression-cutoff X", arguments.Value(number, &f.cutoff)),
		f.flag("--trt-min-shapes INPUT:[D0,D1] ...", f.shapes(0)),
		f.flag("--trt-opt-shapes INPUT:[D0,D1] ...", f.shapes(1)),
		f.flag("--trt-max-shapes INPUT:[D0,D1] ...", f.shapes(2)),
		f.counted("--optimization-profile N", trt.ProfileIndex),
		f.words("--precision-constraints HOW", options{"none": nil,
			"prefer": func() trt.Option { return trt.PrecisionConstraints(trt.Prefer) },
			"obey":   func() trt.Option { return trt.PrecisionConstraints(trt.Obey) }}),
		f.option("--layer-precisions LAYER:TYPE ...", typed(trt.LayerPrecision)),
		f.alone("--decomposable-attentions", trt.DecomposableAttentions),
		f.option("--tensor-dtypes, --tensor-datatypes TENSOR:TYPE ...", typed(trt.TensorType)),
		f.option("--all-tensor-dtypes, --all-tensor-datatypes TYPE", everyType),
		f.option("--tensor-formats TENSOR:[FORMAT] ...", tensorFormats),
		some(f, "--all-tensor-formats FORMAT ...", everyFormat),
		f.alone("--strongly-typed", trt.StronglyTyped),
		some(f, "--trt-outputs TENSOR ...", marked),
		some(f, "--trt-exclude-outputs TENSOR ...", trt.Unmark),
		some(f, "--trt-outputs-by-type TYPE ...", trt.MarkTypes),
		some(f, "--mark-debug TENSOR ...", trt.Debug),
		f.alone("--mark-unfused-tensors-as-debug-tensors", trt.DebugUnfused),
		f.alone("--sparse-weights", trt.SparseWeights),
		f.counted("--builder-optimization-level N", trt.OptimizationLevel),
		f.words("--tiling-optimization-level LEVEL", options{"none": nil,
			"fast": trt.TilingFast, "moderate": trt.TilingModerate, "full": trt.TilingFull}),
		some(f, "--tactic-sources [SOURCE ...]", trt.TacticSources),
		one(f, "--save-tactics, --save-tactic-replay FILE", trt.SaveTactics).On(files.Writes),
		one(f, "--load-tactics, --load-tactic-replay FILE", trt.LoadTactics).On(files.Reads),
		f.words("--preview-features [FEATURE ...]", options{
			"profile_sharing_0806":            trt.ProfileSharing0806,
			"aliased_plugin_io_10_03":         trt.AliasedPluginIO1003,
			"runtime_activation_resize_10_10": trt.RuntimeActivationResize1010}),
		f.words("--quantization-flags [FLAG ...]",
			options{"calibrate_before_fusion": trt.CalibrateBeforeFusion}),
		f.words("--profiling-verbosity LEVEL", options{"none": trt.NoLayers,
			"layer_names_only": trt.LayerNamesOnly, "detailed": trt.Detailed}),
		f.counted("--max-aux-streams N", trt.AuxStreams),
		f.option("--pool-limit, --memory-pool-limit POOL:SIZE ...", poolLimit),
		f.option("--workspace SIZE", func(size string) (trt.Option, error) {
			return poolLimit("workspace:" + size)
		}),
		timings(one(f, "--load-timing-cache FILE", trt.LoadTimingCache)),
		timings(one(f, "--save-timing-cache FILE", trt.SaveTimingCache)),
		timings(one(f, "--timing-cache FILE", trt.TimingCache)),
		f.alone("--error-on-timing-cache-miss", trt.ErrorOnTimingCacheMiss),
		f.alone("--disable-compilation-cache", trt.DisableCompilationCache),
		f.alone("--version-compatible", trt.VersionCompatible),
		f.alone("--exclude-lean-runtime", trt.ExcludeLeanRuntime),
		one(f, "--load-runtime FILE", trt.LoadRuntime).On(files.Reads),
		f.words("--hardware-compatibility-level LEVEL", options{"none": nil,
			"ampere_plus": trt.AmperePlus, "same_compute_capability": trt.SameComputeCapability}),
		f.words("--runtime-platform PLATFORM", options{"same_as_build": nil,
			"windows_amd64": trt.ForWindows}),
		f.alone("--refittable", trt.Refittable),
		f.alone("--strip-plan", trt.StripPlan),
		f.alone("--weight-streaming", trt.WeightStreaming),
		f.flag("--weight-streaming-budget SIZE", f.streamingBudget),
		f.alone("--use-dla", func() trt.Option { return trt.DLA(0) }),
		f.alone("--allow-gpu-fallback", trt.GPUFallback),
		f.alone("--trt-safety-restricted", trt.SafetyScope),
		f.alone("--direct-io", trt.DirectIO),
		f.words("--allocation-strategy WHEN", options{"static": nil,
			"profile": trt.AllocateForProfile, "on_profile_change": trt.AllocateForProfile,
			"runtime": trt.AllocateForShapes, "user_managed": trt.AllocateForShapes}),
		some(f, "--plugins FILE ...", trt.Plugins).On(files.Reads),
		f.words("--onnx-flags FLAG ...", options{"native_instancenorm": nil,
			"enable_uint8_and_asymmetric_quantization_dla": trt.UINT8OnDLA,
			"report_capability_dla":                        trt.ReportCapabilityDLA,
			"enable_plugin_override":                       trt.PluginOverride,
			"adjust_for_dla":                               trt.AdjustForDLA}),
		f.alone("--plugin-instancenorm", trt.PluginInstanceNorm),
		f.alone("--enable-uint8-asymmetric-quantization-dla", trt.UINT8OnDLA),
	}
}

// Capability returns the flag that selects the kind of engine to build.
func (f *Flags) Capability() arguments.Flag {
	return f.words("--engine-capability CAPABILITY", options{"standard": nil, "safety": trt.Safety,
		"dla_standalone": trt.DLAStandalone})
}

// Save returns the flag that saves the engine.
func (f *Flags) Save() arguments.Flag {
	return one(f, "--save-engine FILE", trt.SavePlan).On(files.Writes)
}

// flag returns a flag that also adds its name to f.given when the user sets it.
func (f *Flags) flag(usage string, apply func(words []string) error) arguments.Flag {
	return arguments.Spelled(usage, apply).Noted(&f.given)
}

// option returns a flag that adds the option that read returns for each of the flag's values.
func (f *Flags) option(usage string, read func(text string) (trt.Option, error)) arguments.Flag {
	return f.flag(usage, arguments.Values(read, &f.options))
}

// alone returns a flag without values that adds one option.
func (f *Flags) alone(usage string, option func() trt.Option) arguments.Flag {
	return f.flag(usage, arguments.Adding(option, &f.options))
}

// one returns a flag with one value, which becomes the argument of an option.
func one[E ~string](f *Flags, usage string, option func(E) trt.Option) arguments.Flag {
	return some(f, usage, func(words ...E) trt.Option { return option(words[0]) })
}

// some returns a flag with any number of values, which become the arguments of one option.
func some[E ~string](f *Flags, usage string, option func(...E) trt.Option) arguments.Flag {
	return f.flag(usage, func(words []string) error {
		names := make([]E, len(words))
		for i := range words {
			names[i] = E(words[i])
		}
		f.Add(option(names...))
		return nil
	})
}

// options maps each word that a flag accepts to the function that creates its option. A nil
// function keeps TensorRT's default.
type options map[string]func() trt.Option

// words returns a flag whose values are words, in upper or lower case. Each word selects an option.
func (f *Flags) words(usage string, of options) arguments.Flag {
	return f.flag(usage, func(words []string) error {
		for _, word := range words {
			word = strings.ToLower(strings.ReplaceAll(word, "-", "_"))
			if err := values.Choice(word, slices.Sorted(maps.Keys(of))...); err != nil {
				return err
			}
			if option := of[word]; option != nil {
				f.Add(option())
			}
		}
		return nil
	})
}

// counted returns a flag whose value is a non-negative integer, which becomes the argument of an
// option.
func (f *Flags) counted(usage string, option func(int) trt.Option) arguments.Flag {
	return f.option(usage, arguments.Count(0, option))
}

// shapes returns a function that parses shapes and sets them as the minimum, optimum or maximum
// shapes of a profile. index is 0 for minimum, 1 for optimum, and 2 for maximum.
func (f *Flags) shapes(index int) func([]string) error {
	return func(words []string) error {
		named := sizes{}
		for _, text := range words {
			shape, err := values.Shape(text)
			if err != nil {
				return err
			}
			named[shape.Name] = shape.Value
		}
		f.profiles[index] = append(f.profiles[index], named)
		return nil
	}
}
