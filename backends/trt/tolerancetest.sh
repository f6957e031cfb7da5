#!/usr/bin/env bash
# Measured tolerances on a GPU, from a test binary that was built elsewhere: TensorRT in float32
# must lie within what rounding explains on ONNX's nine CNN topologies, TF32, FP16 and BF16 within
# the error of their format, obeyed FP16 and the model with casts alike, and each planted fault that
# shows must fail. The machine with the GPU needs neither Go nor a network: `make
# gpu-test-tolerance` builds the binary and calls this.
#
#   MODELPARITY_TENSORRT_LIBRARY_PATH=FOLDER MODELPARITY_ONNX_WHEEL=WHEEL \
#       backends/trt/tolerancetest.sh CNN_TEST
#
# FOLDER holds TensorRT's libraries. WHEEL is onnx's, or a zip file with its light models. ONNX
# Runtime's library is the cache's, or ONNXRUNTIME_SHARED_LIBRARY_PATH's. Results go to $OUT,
# or artifacts/gpu in the module: one log a network, and tolerance.tsv with the figures.
#   NETWORKS='squeezenet vgg19'   only these, the quick ones first
#   PARTS='compare'        only the specs that begin so: explain, do not explain, compare, cast.
#                                 Those that do not explain a fault need those that explain.
#   JOBS=3                        so many networks at a time
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
specs=$(realpath "$1") out=${OUT:-$root/artifacts/gpu}
if [[ -n ${MODELPARITY_TENSORRT_LIBRARY_PATH-} ]]; then
	libraries=$(realpath "$MODELPARITY_TENSORRT_LIBRARY_PATH")
	export MODELPARITY_TENSORRT_LIBRARY_PATH=$libraries
	# Before 10.16 the loader, not TensorRT, looks for the builder's kernels.
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
mkdir -p "$out"
export CUDA_MODULE_LOADING=LAZY MODELPARITY_REQUIRE=${MODELPARITY_REQUIRE-trt,ort}
all='squeezenet shufflenet bvlc_alexnet zfnet512 resnet50 inception_v1 inception_v2'
all+=' vgg19 densenet121'
networks=${NETWORKS:-$all}
cd "$root/conformance/cnn"

network() { # NAME
	"$specs" -test.run='^TestCNN$' -test.timeout=30m -ginkgo.v -ginkgo.no-color \
		-ginkgo.label-filter=gpu \
		-ginkgo.focus="Measured tolerances on TensorRT ($parts) .*\\b$1\\b" \
		>"$out/tolerance-$1.log" 2>&1
}
export -f network
parts=${PARTS:-explain|do not explain|compare|cast}
export specs out parts
status=0
tr ' ' '\n' <<<"$networks" |
	xargs -P "${JOBS:-3}" -I{} bash -c 'network {} && echo "ok {}" || { echo "FAILED {}"; exit 1; }' ||
	status=1
grep -ahoP 'TOLERANCE\t\K.*' "$out"/tolerance-*.log | sort -u >"$out/tolerance.tsv"
grep -ahE '^(Ran|PASS|FAIL)|\[FAIL\]' "$out"/tolerance-*.log
cat "$out/tolerance.tsv"
exit $status
