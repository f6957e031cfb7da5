#!/usr/bin/env bash
# Runs the specs of ONNX Runtime's CUDA and TensorRT providers, from a test binary that was built
# elsewhere: the machine with the GPU needs neither Go nor a compiler. `make gpu-test-ort` builds it
# and calls this.
#
#   ONNXRUNTIME_SHARED_LIBRARY_PATH=FILE backends/ort/gputest.sh ORT_TEST
#
# FILE is the libonnxruntime of onnxruntime-gpu, beside its providers; LD_LIBRARY_PATH names the
# folders of CUDA, cuDNN and TensorRT. Results go to $OUT, or artifacts/gpu in the module.
#   FOCUS=REGEXP       only the specs whose text fits
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
specs=$(realpath "$1") out=${OUT:-$root/artifacts/gpu}
: "${ONNXRUNTIME_SHARED_LIBRARY_PATH:?names the libonnxruntime of onnxruntime-gpu}"
mkdir -p "$out"
export CUDA_MODULE_LOADING=LAZY
export MODELPARITY_REQUIRE=${MODELPARITY_REQUIRE-ort,ort-cuda,ort-tensorrt}
cd "$root/backends/ort"
status=0

run() { # NAME REGEXP
	"$specs" -test.run='^TestORT$' -test.timeout=20m -ginkgo.v -ginkgo.no-color \
		-ginkgo.label-filter=gpu ${2:+"-ginkgo.focus=$2"} -ginkgo.json-report="$out/$1.json" 2>&1 |
		tee "$out/$1.log" || status=1
}

run ort "${FOCUS-}"
# Once more without TF32, which only the environment can forbid to the TensorRT provider.
[[ -n ${FOCUS-} ]] || NVIDIA_TF32_OVERRIDE=0 run ort-float32 'TensorRT provider (gives|computes)'
exit $status
