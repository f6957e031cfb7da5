#!/usr/bin/env bash
# Runs the specs that need a GPU, from test binaries that were built elsewhere: the machine with the
# GPU needs neither Go nor a compiler. `make gpu-test` builds them and calls this.
#
#   MODELPARITY_TENSORRT_LIBRARY_PATH=FOLDER backends/trt/gputest.sh TRT_TEST CONFORMANCE_TEST
#
# FOLDER holds TensorRT's libraries. Results go to $OUT, or artifacts/gpu in the module.
#   ONLY=specs|cases   one of the two parts
#   FOCUS=REGEXP       only the specs whose text fits
#   SKIP=REGEXP        not those whose text fits
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
specs=$(realpath "$1") cases=$(realpath "$2") out=${OUT:-$root/artifacts/gpu}
libraries=$(realpath "${MODELPARITY_TENSORRT_LIBRARY_PATH:?names the folder of the libraries}")
mkdir -p "$out"
export MODELPARITY_TENSORRT_LIBRARY_PATH=$libraries
# Before 10.16 the loader, not TensorRT, looks for the builder's kernels.
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CUDA_MODULE_LOADING=LAZY MODELPARITY_REQUIRE=${MODELPARITY_REQUIRE-trt,ort}
status=0

if [[ ${ONLY:-specs} == specs ]]; then
	cd "$root/backends/trt"
	"$specs" -test.timeout=20m -ginkgo.v -ginkgo.no-color -ginkgo.label-filter=gpu \
		${FOCUS:+"-ginkgo.focus=$FOCUS"} ${SKIP:+"-ginkgo.skip=$SKIP"} \
		-ginkgo.json-report="$out/specs.json" \
		2>&1 | tee "$out/specs.log" || status=1
fi
if [[ ${ONLY:-cases} == cases ]]; then
	cd "$root/conformance"
	MODELPARITY_TENSORRT_RECORD=$out/cases.tsv "$cases" -test.v -test.timeout=20m \
		-test.run='^TestNodeCasesOnTensorRT$' 2>&1 | tee "$out/cases.log" | tail -n 30 || status=1
fi
exit $status
