package trtflags

import (
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/values"
)

// flag is the least and greatest number of a flag's values, and its effect.
type flag struct {
	least, most int
	apply       func(f *Flags, words []string) error
}

// many stands for no limit on the number of values.
const many = 1 << 30

// table lists all flags.
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

	"--precision-constraints":   one(trt.PrecisionConstraints),
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
	"--tiling-optimization-level":             one(trt.Tiling),
	"--tactic-sources":                        anyOf(trt.TacticSources),
	"--save-tactics":                          one(trt.SaveTactics),
	"--load-tactics":                          one(trt.LoadTactics),
	"--preview-features":                      anyOf(trt.Preview),
	"--quantization-flags":                    anyOf(trt.QuantizationFlags),
	"--profiling-verbosity":                   one(trt.ProfilingVerbosity),
	"--max-aux-streams":                       counted(trt.AuxStreams),
	"--pool-limit":                            {1, many, poolLimit},
	"--workspace": {1, 1, func(f *Flags, words []string) error {
		return poolLimit(f, []string{"workspace:" + words[0]})
	}},

	"--load-timing-cache":          one(trt.LoadTimingCache),
	"--save-timing-cache":          one(trt.SaveTimingCache),
	"--timing-cache":               one(trt.TimingCache),
	"--error-on-timing-cache-miss": alone(trt.ErrorOnTimingCacheMiss),
	"--disable-compilation-cache":  alone(trt.DisableCompilationCache),

	"--version-compatible":           alone(trt.VersionCompatible),
	"--exclude-lean-runtime":         alone(trt.ExcludeLeanRuntime),
	"--load-runtime":                 one(trt.LoadRuntime),
	"--hardware-compatibility-level": one(trt.HardwareCompatible),
	"--runtime-platform":             one(trt.Platform),
	"--engine-capability":            one(trt.Capability),
	"--refittable":                   alone(trt.Refittable),
	"--strip-plan":                   alone(trt.StripPlan),
	"--weight-streaming":             alone(trt.WeightStreaming),
	"--weight-streaming-budget":      {1, 1, streamingBudget},
	"--use-dla":                      alone(func() trt.Option { return trt.DLA(0) }),
	"--allow-gpu-fallback":           alone(trt.GPUFallback),
	"--trt-safety-restricted": alone(func() trt.Option {
		return trt.BuilderFlag(trt.FlagSafetyScope, true)
	}),
	"--direct-io":           alone(trt.DirectIO),
	"--allocation-strategy": one(allocation),
	"--plugins":             some(trt.Plugins),
	"--onnx-flags":          some(trt.ParserFlags),
	"--plugin-instancenorm": alone(trt.PluginInstanceNorm),
	"--enable-uint8-asymmetric-quantization-dla": alone(func() trt.Option {
		return trt.ParserFlags(trt.EnableUint8AndAsymmetricQuantizationDLA)
	}),
	"--save-engine": one(trt.SavePlan),
}

// alone is a switch that adds one option.
func alone(option func() trt.Option) flag {
	return flag{0, 0, func(f *Flags, _ []string) error {
		f.Add(option())
		return nil
	}}
}

// one is a flag whose value is the argument of an option.
func one[E ~string](option func(E) trt.Option) flag {
	return flag{1, 1, func(f *Flags, words []string) error {
		f.Add(option(E(words[0])))
		return nil
	}}
}

// some is a flag whose values are the arguments of an option; anyOf may have none.
func some[E ~string](option func(...E) trt.Option) flag { return flag{1, many, all(option)} }

func anyOf[E ~string](option func(...E) trt.Option) flag { return flag{0, many, all(option)} }

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

// counted is a flag whose integer is the argument of an option.
func counted(option func(int) trt.Option) flag {
	return flag{1, 1, func(f *Flags, words []string) error {
		n, err := values.Count(words[0], 0)
		if err == nil {
			f.Add(option(n))
		}
		return err
	}}
}

// side is one side of the optimization profiles.
func side(at int) func(*Flags, []string) error {
	return func(f *Flags, words []string) error {
		shapes := trt.Shapes{}
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
