package main

import (
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// engineFlags configure TensorRT. They are Polygraphy's; each is one option of package trt.
var engineFlags = []flag{
	{Name: "--trt", Help: "Build the model in TensorRT and run it. Give it twice for two runs.",
		Apply: arguments.Word(runners, "--trt")},
	trtSwitch("--fp16", "Let layers compute in float16.", trt.FP16),
	trtSwitch("--bf16", "Let layers compute in bfloat16.", trt.BF16),
	trtSwitch("--fp8", "Let layers compute in 8-bit floats.", trt.FP8),
	trtSwitch("--tf32", "Let float32 layers use TF32. That is less exact than float32, never more.",
		trt.TF32),
	trtFlag("--int8", arguments.None, "", "Let layers compute in 8-bit integers. A model without "+
		"QuantizeLinear nodes is calibrated with the inputs of the run.",
		func(t *tensorrt, _ []string) error {
			t.int8 = true
			t.options = append(t.options, trt.INT8())
			return nil
		}),
	naming(files.Updates, "", trtNames("--calibration-cache", arguments.One, "FILE",
		"What calibration found is read from FILE if it is there, and written to it otherwise.",
		onlyName(trt.CalibrationCache))),
	trtFlag("--calib-base-cls", arguments.One, "CLASS", "How to calibrate: "+
		"IInt8EntropyCalibrator2, IInt8MinMaxCalibrator, IInt8EntropyCalibrator or "+
		"IInt8LegacyCalibrator. Default: the first.", calibrator, "--calibration-base-class"),
	trtFlag("--quantile", arguments.One, "Q", "Quantile of the legacy calibrator. Default: 0.5.",
		number(func(t *tensorrt) **float64 { return &t.quantile })),
	trtFlag("--regression-cutoff", arguments.One, "X", "Cutoff of the legacy calibrator. "+
		"Default: 0.5.", number(func(t *tensorrt) **float64 { return &t.cutoff })),
	trtShapes("--trt-min-shapes", 0, "Smallest shapes of an optimization profile; give the flag once "+
		"for each profile. What is left out is that of --input-shapes. Default: derived from the "+
		"inputs of the run."),
	trtShapes("--trt-opt-shapes", 1, "Most likely shapes of the profile; those of "+
		"--trt-min-shapes where it is left out."),
	trtShapes("--trt-max-shapes", 2, "Greatest shapes of the profile; those of --trt-opt-shapes "+
		"where it is left out."),
	trtNumber("--optimization-profile", "Which profile runs. Default: 0.", trt.ProfileIndex),
	trtNames("--precision-constraints", arguments.One, "HOW", "What --layer-precisions is: "+
		"obey, prefer or none.", onlyName(trt.PrecisionConstraints)),
	trtFlag("--layer-precisions", arguments.Some, "LAYER:TYPE",
		"Element type that a layer computes in.", typed(trt.LayerPrecision)),
	trtSwitch("--decomposable-attentions", "Let attentions be computed by several kernels.",
		trt.DecomposableAttentions),
	trtFlag("--tensor-dtypes", arguments.Some, "TENSOR:TYPE", "Element type of an input or output.",
		typed(trt.TensorType), "--tensor-datatypes"),
	trtFlag("--all-tensor-dtypes", arguments.One, "TYPE", "Element type of all the others.",
		everyType, "--all-tensor-datatypes"),
	trtFlag("--tensor-formats", arguments.Some, "TENSOR:[FORMAT]", "Layouts of an input or output.",
		tensorFormats),
	trtNames("--all-tensor-formats", arguments.Some, "FORMAT", "Layouts of all the others.",
		everyFormat),
	trtSwitch("--strongly-typed", "Compute in the model's own types.", trt.StronglyTyped),
	trtNames("--trt-outputs", arguments.Some, "TENSOR", "Tensors to compare in the place of the "+
		"outputs, with wildcards; '*' or mark all is every tensor.", trtMark),
	trtNames("--trt-exclude-outputs", arguments.Some, "TENSOR", "Outputs to leave out.", trt.Unmark),
	trtNames("--trt-outputs-by-type", arguments.Some, "TYPE", "Compare the outputs of all layers "+
		"of a type, such as CONVOLUTION.", trt.MarkTypes),
	trtNames("--mark-debug", arguments.Some, "TENSOR", "Read tensors while the engine runs, without "+
		"changing its fusion more than needed.", trt.Debug),
	trtSwitch("--mark-unfused-tensors-as-debug-tensors", "Read every tensor that is left after "+
		"fusion.", trt.DebugUnfused),
	trtSwitch("--sparse-weights", "Use kernels for sparse weights.", trt.SparseWeights),
	trtNumber("--builder-optimization-level", "How long to search for fast kernels, 0 to 5.",
		trt.OptimizationLevel),
	trtNames("--tiling-optimization-level", arguments.One, "LEVEL", "How hard to try to tile.",
		onlyName(trt.Tiling)),
	trtNames("--tactic-sources", arguments.Any, "SOURCE", "Where kernels may come from.",
		trt.TacticSources),
	naming(files.Writes, "", trtNames("--save-tactics", arguments.One, "FILE", "Record which "+
		"implementation TensorRT chose for every layer, as JSON.", onlyName(trt.SaveTactics),
		"--save-tactic-replay")),
	naming(files.Reads, "", trtNames("--load-tactics", arguments.One, "FILE", "Build with the "+
		"choices of such a file.", onlyName(trt.LoadTactics), "--load-tactic-replay")),
	trtNames("--preview-features", arguments.Any, "FEATURE", "Features that are off at first.",
		trt.Preview),
	trtNames("--quantization-flags", arguments.Any, "FLAG", "Options of calibration.",
		trt.QuantizationFlags),
	trtNames("--profiling-verbosity", arguments.One, "LEVEL", "How much an engine says of itself.",
		onlyName(trt.ProfilingVerbosity)),
	trtNumber("--max-aux-streams", "Streams that an inference may use beside its own.",
		trt.AuxStreams),
	trtFlag("--pool-limit", arguments.Some, "POOL:SIZE", "Limit of a memory pool, as workspace:1G.",
		poolLimit, "--memory-pool-limit"),
	trtFlag("--workspace", arguments.One, "SIZE", "As --pool-limit workspace:SIZE.",
		func(t *tensorrt, values []string) error {
			return poolLimit(t, []string{"workspace:" + values[0]})
		}),
	naming(files.Updates, "timings", trtNames("--load-timing-cache", arguments.One, "FILE", "File of "+
		"a timing cache, which must be there unless --save-timing-cache names the same.",
		onlyName(trt.LoadTimingCache))),
	naming(files.Updates, "timings", trtNames("--save-timing-cache", arguments.One, "FILE", "File "+
		"that what the build measured is added to.", onlyName(trt.SaveTimingCache))),
	naming(files.Updates, "timings", trtNames("--timing-cache", arguments.One, "FILE", "Both.",
		onlyName(trt.TimingCache))),
	trtSwitch("--error-on-timing-cache-miss", "Fail where the timing cache lacks what the "+
		"build needs.", trt.ErrorOnTimingCacheMiss),
	trtSwitch("--disable-compilation-cache", "Keep compiled kernels out of the timing cache.",
		trt.DisableCompilationCache),
	trtSwitch("--version-compatible", "Make an engine that later releases load too.",
		trt.VersionCompatible),
	trtSwitch("--exclude-lean-runtime", "Keep the lean runtime out of such an engine.",
		trt.ExcludeLeanRuntime),
	naming(files.Reads, "", trtNames("--load-runtime", arguments.One, "FILE", "Load such engines by "+
		"this lean runtime.", onlyName(trt.LoadRuntime))),
	trtNames("--hardware-compatibility-level", arguments.One, "LEVEL", "Make an engine that serves "+
		"other GPUs too.", onlyName(trt.HardwareCompatible)),
	trtNames("--runtime-platform", arguments.One, "PLATFORM", "Operating system the engine is for.",
		onlyName(trt.Platform)),
	trtSwitch("--refittable", "Make an engine whose weights can be replaced.", trt.Refittable),
	trtSwitch("--strip-plan", "Leave the weights out of the engine.", trt.StripPlan),
	trtSwitch("--weight-streaming", "Let weights stay in the CPU's memory.", trt.WeightStreaming),
	trtFlag("--weight-streaming-budget", arguments.One, "SIZE", "How much of those weights the GPU "+
		"holds: 1G, 50% or -1 for TensorRT's choice.", streamingBudget),
	trtSwitch("--use-dla", "Build for a deep learning accelerator.",
		func() trt.Option { return trt.DLA(0) }),
	trtSwitch("--allow-gpu-fallback", "Let the GPU run layers that the accelerator cannot.",
		trt.GPUFallback),
	trtSwitch("--trt-safety-restricted", "Build within TensorRT's safety scope.",
		func() trt.Option { return trt.BuilderFlag(trt.FlagSafetyScope, true) }),
	trtSwitch("--direct-io", "Forbid reformatting at inputs and outputs.", trt.DirectIO),
	trtNames("--allocation-strategy", arguments.One, "WHEN", "When an inference gets its memory: "+
		"static, profile or runtime.", onlyName(allocation)),
	naming(files.Reads, "", trtNames("--plugins", arguments.Some, "FILE", "Libraries of plugins.",
		trt.Plugins)),
	trtNames("--onnx-flags", arguments.Some, "FLAG", "Flags of the ONNX parser.", trt.ParserFlags),
	trtSwitch("--plugin-instancenorm", "Use the plugin for InstanceNormalization.",
		trt.PluginInstanceNorm),
	trtSwitch("--enable-uint8-asymmetric-quantization-dla", "As --onnx-flags "+
		"ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA.", func() trt.Option {
		return trt.ParserFlags(trt.EnableUint8AndAsymmetricQuantizationDLA)
	}),
	naming(files.Writes, "", trtNames("--save-engine", arguments.One, "FILE", "Save the engine.",
		onlyName(trt.SavePlan))),
}
