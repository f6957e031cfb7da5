package trtflags

import (
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/values"
)

// flag describes a flag: the minimum and maximum number of its values, and its effect.
type flag struct {
	least, most int
	apply       func(f *Flags, words []string) error
}

// many is the maximum for flags that take any number of values.
const many = 1 << 30

// table maps the names of all flags to their descriptions.
var table = map[string]flag{
	"--fp16": alone(trt.FP16),
	"--bf16": alone(trt.BF16),
	"--fp8":  alone(trt.FP8),
	"--tf32": alone(trt.TF32),
	"--int8": {0, 0, func(f *Flags, _ []string) error {
		f.int8 = true
		f.Add(trt.INT8())
		return nil
	}},
	"--calibration-cache": one(trt.CalibrationCache),
	"--calib-base-cls":    {1, 1, calibrator},
	"--quantile":          {1, 1, number(func(f *Flags) **float64 { return &f.quantile })},
	"--regression-cutoff": {1, 1, number(func(f *Flags) **float64 { return &f.cutoff })},

	"--trt-min-shapes":       {1, many, side(0)},
	"--trt-opt-shapes":       {1, many, side(1)},
	"--trt-max-shapes":       {1, many, side(2)},
	"--optimization-profile": counted(trt.ProfileIndex),

	"--precision-constraints": words(1, options{"none": nil,
		"prefer": func() trt.Option { return trt.PrecisionConstraints(trt.Prefer) },
		"obey":   func() trt.Option { return trt.PrecisionConstraints(trt.Obey) }}),
	"--layer-precisions":        {1, many, typed(trt.LayerPrecision)},
	"--decomposable-attentions": alone(trt.DecomposableAttentions),
	"--tensor-dtypes":           {1, many, typed(trt.TensorType)},
	"--all-tensor-dtypes":       {1, 1, everyType},
	"--tensor-formats":          {1, many, tensorFormats},
	"--all-tensor-formats":      some(everyFormat),
	"--strongly-typed":          alone(trt.StronglyTyped),

	"--trt-outputs":                           some(marked),
	"--trt-exclude-outputs":                   some(trt.Unmark),
	"--trt-outputs-by-type":                   some(trt.MarkTypes),
	"--mark-debug":                            some(trt.Debug),
	"--mark-unfused-tensors-as-debug-tensors": alone(trt.DebugUnfused),
	"--sparse-weights":                        alone(trt.SparseWeights),
	"--builder-optimization-level":            counted(trt.OptimizationLevel),
	"--tiling-optimization-level": words(1, options{"none": nil,
		"fast": trt.TilingFast, "moderate": trt.TilingModerate, "full": trt.TilingFull}),
	"--tactic-sources": {0, many, all(trt.TacticSources)},
	"--save-tactics":   one(trt.SaveTactics),
	"--load-tactics":   one(trt.LoadTactics),
	"--preview-features": words(many, options{
		"profile_sharing_0806":            trt.ProfileSharing0806,
		"aliased_plugin_io_10_03":         trt.AliasedPluginIO1003,
		"runtime_activation_resize_10_10": trt.RuntimeActivationResize1010}),
	"--quantization-flags": words(many,
		options{"calibrate_before_fusion": trt.CalibrateBeforeFusion}),
	"--profiling-verbosity": words(1, options{"none": trt.NoLayers,
		"layer_names_only": trt.LayerNamesOnly, "detailed": trt.Detailed}),
	"--max-aux-streams": counted(trt.AuxStreams),
	"--pool-limit":      {1, many, poolLimit},
	"--workspace": {1, 1, func(f *Flags, words []string) error {
		return poolLimit(f, []string{"workspace:" + words[0]})
	}},

	"--load-timing-cache":          one(trt.LoadTimingCache),
	"--save-timing-cache":          one(trt.SaveTimingCache),
	"--timing-cache":               one(trt.TimingCache),
	"--error-on-timing-cache-miss": alone(trt.ErrorOnTimingCacheMiss),
	"--disable-compilation-cache":  alone(trt.DisableCompilationCache),

	"--version-compatible":   alone(trt.VersionCompatible),
	"--exclude-lean-runtime": alone(trt.ExcludeLeanRuntime),
	"--load-runtime":         one(trt.LoadRuntime),
	"--hardware-compatibility-level": words(1, options{"none": nil,
		"ampere_plus": trt.AmperePlus, "same_compute_capability": trt.SameComputeCapability}),
	"--runtime-platform": words(1, options{"same_as_build": nil,
		"windows_amd64": trt.ForWindows}),
	"--engine-capability": words(1, options{"standard": nil, "safety": trt.Safety,
		"dla_standalone": trt.DLAStandalone}),
	"--refittable":              alone(trt.Refittable),
	"--strip-plan":              alone(trt.StripPlan),
	"--weight-streaming":        alone(trt.WeightStreaming),
	"--weight-streaming-budget": {1, 1, streamingBudget},
	"--use-dla":                 alone(func() trt.Option { return trt.DLA(0) }),
	"--allow-gpu-fallback":      alone(trt.GPUFallback),
	"--trt-safety-restricted":   alone(trt.SafetyScope),
	"--direct-io":               alone(trt.DirectIO),
	"--allocation-strategy": words(1, options{"static": nil,
		"profile": trt.AllocateForProfile, "on_profile_change": trt.AllocateForProfile,
		"runtime": trt.AllocateForShapes, "user_managed": trt.AllocateForShapes}),
	"--plugins": some(trt.Plugins),
	"--onnx-flags": words(many, options{"native_instancenorm": nil,
		"enable_uint8_and_asymmetric_quantization_dla": trt.UINT8OnDLA,
		"report_capability_dla":                        trt.ReportCapabilityDLA,
		"enable_plugin_override":                       trt.PluginOverride,
		"adjust_for_dla":                               trt.AdjustForDLA}),
	"--plugin-instancenorm":                      alone(trt.PluginInstanceNorm),
	"--enable-uint8-asymmetric-quantization-dla": alone(trt.UINT8OnDLA),
	"--save-engine":                              one(trt.SavePlan),
}

// alone returns a flag without values that adds one option.
func alone(option func() trt.Option) flag {
	return flag{0, 0, func(f *Flags, _ []string) error {
		f.Add(option())
		return nil
	}}
}

// one returns a flag with one value, which becomes the argument of an option.
func one[E ~string](option func(E) trt.Option) flag {
	return flag{1, 1, func(f *Flags, words []string) error {
		f.Add(option(E(words[0])))
		return nil
	}}
}

// options maps each word to the function that creates its option. A nil function leaves the
// default.
type options map[string]func() trt.Option

// words returns a flag whose values are words that each select an option, in upper or lower case.
func words(most int, of options) flag {
	least := 1
	if most == many {
		least = 0
	}
	return flag{least, most, func(f *Flags, words []string) error {
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
	}}
}

// some returns a flag with any number of values, which become the arguments of one option.
func some[E ~string](option func(...E) trt.Option) flag { return flag{1, many, all(option)} }

func all[E ~string](option func(...E) trt.Option) func(*Flags, []string) error {
	return func(f *Flags, words []string) error {
		names := make([]E, len(words))
		for i := range words {
			names[i] = E(words[i])
		}
		f.Add(option(names...))
		return nil
	}
}

// counted returns a flag whose value is a non-negative integer, which becomes the argument of an
// option.
func counted(option func(int) trt.Option) flag {
	return flag{1, 1, func(f *Flags, words []string) error {
		n, err := values.Count(words[0], 0)
		if err == nil {
			f.Add(option(n))
		}
		return err
	}}
}

// side returns a function that sets the minimum, optimum or maximum shapes of a profile.
func side(at int) func(*Flags, []string) error {
	return func(f *Flags, words []string) error {
		shapes := sizes{}
		for _, text := range words {
			shape, err := values.Shape(text)
			if err != nil {
				return err
			}
			shapes[shape.Name] = shape.Value
		}
		f.profiles[at] = append(f.profiles[at], shapes)
		return nil
	}
}
