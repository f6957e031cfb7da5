package main

import (
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// engineFlags configure TensorRT. They are Polygraphy's; each is one option of package trt.
var engineFlags = []flag{
	{Name: "--trt", Apply: arguments.Word(runners, "--trt")},
	trtSwitch("--fp16", trt.FP16),
	trtSwitch("--bf16", trt.BF16),
	trtSwitch("--fp8", trt.FP8),
	trtSwitch("--tf32", trt.TF32),
	trtFlag("--int8", arguments.None, "", func(t *tensorrt, _ []string) error {
		t.int8 = true
		t.options = append(t.options, trt.INT8())
		return nil
	}),
	naming(files.Updates, "", trtNames("--calibration-cache", arguments.One, "FILE",
		onlyName(trt.CalibrationCache))),
	trtFlag("--calib-base-cls", arguments.One, "CLASS", calibrator, "--calibration-base-class"),
	trtFlag("--quantile", arguments.One, "Q",
		number(func(t *tensorrt) **float64 { return &t.quantile })),
	trtFlag("--regression-cutoff", arguments.One, "X",
		number(func(t *tensorrt) **float64 { return &t.cutoff })),
	trtShapes("--trt-min-shapes", 0),
	trtShapes("--trt-opt-shapes", 1),
	trtShapes("--trt-max-shapes", 2),
	trtNumber("--optimization-profile", trt.ProfileIndex),
	trtNames("--precision-constraints", arguments.One, "HOW", onlyName(trt.PrecisionConstraints)),
	trtFlag("--layer-precisions", arguments.Some, "LAYER:TYPE", typed(trt.LayerPrecision)),
	trtSwitch("--decomposable-attentions", trt.DecomposableAttentions),
	trtFlag("--tensor-dtypes", arguments.Some, "TENSOR:TYPE", typed(trt.TensorType),
		"--tensor-datatypes"),
	trtFlag("--all-tensor-dtypes", arguments.One, "TYPE", everyType, "--all-tensor-datatypes"),
	trtFlag("--tensor-formats", arguments.Some, "TENSOR:[FORMAT]", tensorFormats),
	trtNames("--all-tensor-formats", arguments.Some, "FORMAT", everyFormat),
	trtSwitch("--strongly-typed", trt.StronglyTyped),
	trtNames("--trt-outputs", arguments.Some, "TENSOR", trtMark),
	trtNames("--trt-exclude-outputs", arguments.Some, "TENSOR", trt.Unmark),
	trtNames("--trt-outputs-by-type", arguments.Some, "TYPE", trt.MarkTypes),
	trtNames("--mark-debug", arguments.Some, "TENSOR", trt.Debug),
	trtSwitch("--mark-unfused-tensors-as-debug-tensors", trt.DebugUnfused),
	trtSwitch("--sparse-weights", trt.SparseWeights),
	trtNumber("--builder-optimization-level", trt.OptimizationLevel),
	trtNames("--tiling-optimization-level", arguments.One, "LEVEL", onlyName(trt.Tiling)),
	trtNames("--tactic-sources", arguments.Any, "SOURCE", trt.TacticSources),
	naming(files.Writes, "", trtNames("--save-tactics", arguments.One, "FILE",
		onlyName(trt.SaveTactics), "--save-tactic-replay")),
	naming(files.Reads, "", trtNames("--load-tactics", arguments.One, "FILE",
		onlyName(trt.LoadTactics), "--load-tactic-replay")),
	trtNames("--preview-features", arguments.Any, "FEATURE", trt.Preview),
	trtNames("--quantization-flags", arguments.Any, "FLAG", trt.QuantizationFlags),
	trtNames("--profiling-verbosity", arguments.One, "LEVEL", onlyName(trt.ProfilingVerbosity)),
	trtNumber("--max-aux-streams", trt.AuxStreams),
	trtFlag("--pool-limit", arguments.Some, "POOL:SIZE", poolLimit, "--memory-pool-limit"),
	trtFlag("--workspace", arguments.One, "SIZE", func(t *tensorrt, values []string) error {
		return poolLimit(t, []string{"workspace:" + values[0]})
	}),
	naming(files.Updates, "timings", trtNames("--load-timing-cache", arguments.One, "FILE",
		onlyName(trt.LoadTimingCache))),
	naming(files.Updates, "timings", trtNames("--save-timing-cache", arguments.One, "FILE",
		onlyName(trt.SaveTimingCache))),
	naming(files.Updates, "timings", trtNames("--timing-cache", arguments.One, "FILE",
		onlyName(trt.TimingCache))),
	trtSwitch("--error-on-timing-cache-miss", trt.ErrorOnTimingCacheMiss),
	trtSwitch("--disable-compilation-cache", trt.DisableCompilationCache),
	trtSwitch("--version-compatible", trt.VersionCompatible),
	trtSwitch("--exclude-lean-runtime", trt.ExcludeLeanRuntime),
	naming(files.Reads, "", trtNames("--load-runtime", arguments.One, "FILE",
		onlyName(trt.LoadRuntime))),
	trtNames("--hardware-compatibility-level", arguments.One, "LEVEL",
		onlyName(trt.HardwareCompatible)),
	trtNames("--runtime-platform", arguments.One, "PLATFORM", onlyName(trt.Platform)),
	trtSwitch("--refittable", trt.Refittable),
	trtSwitch("--strip-plan", trt.StripPlan),
	trtSwitch("--weight-streaming", trt.WeightStreaming),
	trtFlag("--weight-streaming-budget", arguments.One, "SIZE", streamingBudget),
	trtSwitch("--use-dla", func() trt.Option { return trt.DLA(0) }),
	trtSwitch("--allow-gpu-fallback", trt.GPUFallback),
	trtSwitch("--trt-safety-restricted",
		func() trt.Option { return trt.BuilderFlag(trt.FlagSafetyScope, true) }),
	trtSwitch("--direct-io", trt.DirectIO),
	trtNames("--allocation-strategy", arguments.One, "WHEN", onlyName(allocation)),
	naming(files.Reads, "", trtNames("--plugins", arguments.Some, "FILE", trt.Plugins)),
	trtNames("--onnx-flags", arguments.Some, "FLAG", trt.ParserFlags),
	trtSwitch("--plugin-instancenorm", trt.PluginInstanceNorm),
	trtSwitch("--enable-uint8-asymmetric-quantization-dla", func() trt.Option {
		return trt.ParserFlags(trt.EnableUint8AndAsymmetricQuantizationDLA)
	}),
	naming(files.Writes, "", trtNames("--save-engine", arguments.One, "FILE", onlyName(trt.SavePlan))),
}
