package main

import (
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// engineFlags configure TensorRT. They are Polygraphy's; package trt/flags makes options of them.
var engineFlags = append([]flag{arguments.Spelled("--trt", arguments.Word(runners, "--trt"))},
	tensorrtFlags(
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
		"--enable-uint8-asymmetric-quantization-dla", "--save-engine FILE")...)

// tensorrtFiles says what is done with the files that flags of TensorRT name.
var tensorrtFiles = map[string]files.Use{"--calibration-cache": files.Updates,
	"--save-tactics": files.Writes, "--load-tactics": files.Reads, "--load-runtime": files.Reads,
	"--load-timing-cache": files.Updates, "--save-timing-cache": files.Updates,
	"--timing-cache": files.Updates, "--plugins": files.Reads, "--save-engine": files.Writes}

// tensorrtFlags are flags of which package trt/flags makes options. Those of timing caches may name
// one file.
func tensorrtFlags(usages ...string) []flag {
	list := setBy(func(r *request) setter { return &r.trt }, usages...)
	for i, f := range list {
		list[i].File = tensorrtFiles[f.Name]
		if strings.HasSuffix(f.Name, "timing-cache") {
			list[i].Shared = "timings"
		}
	}
	return list
}
