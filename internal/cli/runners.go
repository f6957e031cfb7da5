package cli

import (
	"slices"
	"strings"

	_ "github.com/modelparity/modelparity/backends/served/grpc" // for grpc:// URLs
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/files"
)

// Flags that choose and configure engines. Package engineflags creates the engines.
var (
	runnerFlags = []string{"--onnxrt", "--onnxrt-threads N",
		"--providers, --execution-providers PROVIDER ...", "--provider-options PROVIDER:KEY=VALUE ...",
		"--plugin-ep PLUGIN ...", "--custom-ops FILE ...", "--fp32", "--graph-optimization-level LEVEL",
		"--onnxrt-accuracy-level TYPE", "--onnxrt-config KEY=VALUE ...",
		"--warm-up, --warm-up-runs N",
		"--model-type TYPE", "--sequential-runners", "--use-subprocess", "--subprocess-memory SIZE",
		"--subprocess-timeout SECONDS"}
	openvinoFlags = []string{"--openvino", "--openvino-precision TYPE",
		"--openvino-execution-mode MODE", "--openvino-threads N", "--openvino-device NAME",
		"--openvino-static-shapes", "--openvino-property KEY=VALUE ...", "--openvino-library FILE"}
	tractFlags = []string{"--tract", "--tract-fp16", "--tract-runtime RUNTIME",
		"--tract-library FILE"}
	genaiFlags = []string{"--genai", "--genai-threads N", "--genai-overlay JSON",
		"--genai-library FILE"}
	programFlags = []string{"--onnx", "--pluginref", "--model-runner SCRIPT.py[:FUNCTION]",
		"--process CMD", "--pytorch, --torch [FILE]", "--tf [FILE]", "--ckpt NAME",
		"--tf-outputs TENSOR ...", "--jax [FILE]", "--process-timeout SECONDS", "--python PYTHON",
		"--served URL", "--served-binary", "--served-header NAME=VARIABLE ..."}
	// builderFlags are Polygraphy's flags for building an engine.
	builderFlags = []string{"--trt",
		"--fp16", "--bf16", "--fp8", "--tf32", "--int8", "--calibration-cache FILE",
		"--calib-base-cls, --calibration-base-class CLASS", "--quantile Q", "--regression-cutoff X",
		"--trt-min-shapes INPUT:[D0,D1] ...", "--trt-opt-shapes INPUT:[D0,D1] ...",
		"--trt-max-shapes INPUT:[D0,D1] ...", "--optimization-profile N",
		"--precision-constraints HOW", "--layer-precisions LAYER:TYPE ...",
		"--decomposable-attentions", "--tensor-dtypes, --tensor-datatypes TENSOR:TYPE ...",
		"--all-tensor-dtypes, --all-tensor-datatypes TYPE", "--tensor-formats TENSOR:[FORMAT] ...",
		"--all-tensor-formats FORMAT ...", "--strongly-typed", "--trt-outputs TENSOR ...",
		"--trt-exclude-outputs TENSOR ...", "--trt-outputs-by-type TYPE ...",
		"--mark-debug TENSOR ...", "--mark-unfused-tensors-as-debug-tensors", "--sparse-weights",
		"--builder-optimization-level N", "--tiling-optimization-level LEVEL",
		"--tactic-sources [SOURCE ...]", "--save-tactics, --save-tactic-replay FILE",
		"--load-tactics, --load-tactic-replay FILE", "--preview-features [FEATURE ...]",
		"--quantization-flags [FLAG ...]", "--profiling-verbosity LEVEL", "--max-aux-streams N",
		"--pool-limit, --memory-pool-limit POOL:SIZE ...", "--workspace SIZE",
		"--load-timing-cache FILE", "--save-timing-cache FILE", "--timing-cache FILE",
		"--error-on-timing-cache-miss", "--disable-compilation-cache", "--version-compatible",
		"--exclude-lean-runtime", "--load-runtime FILE", "--hardware-compatibility-level LEVEL",
		"--runtime-platform PLATFORM", "--refittable", "--strip-plan", "--weight-streaming",
		"--weight-streaming-budget SIZE", "--use-dla", "--allow-gpu-fallback",
		"--trt-safety-restricted", "--direct-io", "--allocation-strategy WHEN", "--plugins FILE ...",
		"--onnx-flags FLAG ...", "--plugin-instancenorm",
		"--enable-uint8-asymmetric-quantization-dla"}
)

// engineFiles says, for each engine flag with a path, whether the file is read, written or updated.
var engineFiles = map[string]files.Use{"--calibration-cache": files.Updates,
	"--save-tactics": files.Writes, "--load-tactics": files.Reads, "--load-runtime": files.Reads,
	"--load-timing-cache": files.Updates, "--save-timing-cache": files.Updates,
	"--timing-cache": files.Updates, "--plugins": files.Reads, "--save-engine": files.Writes,
	"--openvino-library": files.Reads, "--tract-library": files.Reads, "--custom-ops": files.Reads,
	"--genai-library": files.Reads,
	"--pytorch":       files.Reads, "--tf": files.Reads, "--jax": files.Reads,
	"--model-runner": files.Reads}

// engineFlags returns flags that configure engines. Several flags for timing caches may name the
// same file.
func engineFlags(engines *engineflags.Flags, usages ...string) []arguments.Flag {
	list := arguments.Taken(engines, usages...)
	for i, f := range list {
		list[i].File = engineFiles[f.Name]
		list[i].Repeats = slices.Contains(engineflags.Runners(), f.Name)
		if strings.HasSuffix(f.Name, "timing-cache") {
			list[i].Shared = "timings"
		}
	}
	return list
}

// expectedFlags returns the flags that apply only to the expected side. Their names start with
// --expected.
func expectedFlags(engines *engineflags.Flags) (list []arguments.Flag) {
	for _, f := range engineFlags(engines,
		slices.Concat(runnerFlags, openvinoFlags, tractFlags, genaiFlags)...) {
		name := engineflags.Expected + strings.TrimPrefix(f.Name, "--")
		if !slices.Contains(engineflags.Names(), name) {
			continue
		}
		f.Fill = []string{"{flag}", f.Name}
		f.Name, f.Also, f.Text = name, nil, "EXPECTED"
		f.Apply = func(words []string) error { return engines.Set(name, words...) }
		list = append(list, f)
	}
	return list
}

// runners returns the flags of engines in two parts: the sections that begin a command's help, and
// TensorRT's long section, which ends it.
func (r *running) runners() (runners []section, tensorrt section) {
	list := func(usages []string) []arguments.Flag { return engineFlags(&r.engines, usages...) }
	return []section{{"Runners", list(runnerFlags)}, {"OpenVINO", list(openvinoFlags)},
		{"tract", list(tractFlags)}, {"GenAI", list(genaiFlags)}, {"Programs", list(programFlags)},
	}, section{"TensorRT", append(list(builderFlags), list([]string{"--save-engine FILE"})...)}
}

// expected returns the flags for the expected side.
func (r *running) expected() section {
	return section{"Expected side", expectedFlags(&r.engines)}
}

// built returns the flags for the kind of an engine that is built. builder returns Polygraphy's
// flags for building it.
func (r *running) built() []arguments.Flag {
	return engineFlags(&r.engines, "--model-type TYPE", "--engine-capability CAPABILITY")
}

func (r *running) builder() section {
	return section{"TensorRT", engineFlags(&r.engines, builderFlags...)}
}
