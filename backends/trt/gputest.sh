#!/usr/bin/env bash
# Runs the specs that need a GPU, from test binaries that were built elsewhere: the machine with the
# GPU needs neither Go nor a compiler. `make gpu-test` builds them and calls this.
#
#   MODELPARITY_TENSORRT_LIBRARY_PATH=FOLDER MODELPARITY_ONNX_WHEEL=WHEEL \
#       backends/trt/gputest.sh TRT_TEST CONFORMANCE_TEST [CNN_TEST [RELATIONS_TEST]]
#
# FOLDER holds TensorRT's libraries. WHEEL is onnx's (internal/setup/onnx fetches it), or a zip file
# with the same names: the node cases, and light/*.onnx for CNN_TEST. Results go to $OUT, or
# artifacts/gpu in the module.
#   ONLY=specs|cases|cnn|relations   one of the parts; the binaries of the others may be missing
#   FOCUS=REGEXP           only the specs whose text fits
#   SKIP=REGEXP            not those whose text fits
#   MODELPARITY_CNN_INT8=inception_v2 FOCUS='INT8 taken apart' ONLY=cnn
#                          where a network loses what in INT8: by calibrator, by the number of
#                          images, by the ranges found, and along the depth of the engine
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
specs=$(realpath -m "$1") cases=$(realpath -m "$2") cnn=${3:+$(realpath -m "$3")}
relations=${4:+$(realpath -m "$4")}
out=${OUT:-$root/artifacts/gpu}
libraries=$(realpath "${MODELPARITY_TENSORRT_LIBRARY_PATH:?names the folder of the libraries}")
mkdir -p "$out"
export MODELPARITY_TENSORRT_LIBRARY_PATH=$libraries
# Before 10.16 the loader, not TensorRT, looks for the builder's kernels.
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CUDA_MODULE_LOADING=LAZY MODELPARITY_REQUIRE=${MODELPARITY_REQUIRE-trt,ort}
status=0

if [[ ${ONLY:-specs} == specs ]]; then
	cd "$root/backends/trt"
	"$specs" -test.run='^TestTRT$' -test.timeout=20m -ginkgo.v -ginkgo.no-color \
		-ginkgo.label-filter=gpu ${FOCUS:+"-ginkgo.focus=$FOCUS"} ${SKIP:+"-ginkgo.skip=$SKIP"} \
		-ginkgo.json-report="$out/specs.json" \
		2>&1 | tee "$out/specs.log" || status=1
fi
if [[ ${ONLY:-cases} == cases ]]; then
	cd "$root/conformance"
	MODELPARITY_CONFORMANCE_RECORD=$out "$cases" -test.v -test.timeout=20m \
		-test.run='^TestNodeCasesOnTensorRT$' 2>&1 | tee "$out/cases.log" | tail -n 30 || status=1
fi
# Nine networks in five precisions: INT8 of densenet121 alone takes three minutes on an H200.
if [[ $cnn && ${ONLY:-cnn} == cnn ]]; then
	cd "$root/conformance/cnn"
	MODELPARITY_CNN_RECORD=$out/cnn.tsv "$cnn" -test.timeout=60m -ginkgo.v -ginkgo.no-color \
		-ginkgo.label-filter=gpu ${FOCUS:+"-ginkgo.focus=$FOCUS"} ${SKIP:+"-ginkgo.skip=$SKIP"} \
		-ginkgo.json-report="$out/cnn.json" 2>&1 | tee "$out/cnn.log" || status=1
fi
# Batches of every size on engines with a profile: four networks in float32 and FP16.
if [[ $relations && ${ONLY:-relations} == relations ]]; then
	cd "$root/relations"
	MODELPARITY_REQUIRE=trt "$relations" -test.run='^TestRelations$' -test.timeout=20m \
		-ginkgo.v -ginkgo.no-color -ginkgo.label-filter=gpu ${FOCUS:+"-ginkgo.focus=$FOCUS"} \
		${SKIP:+"-ginkgo.skip=$SKIP"} -ginkgo.json-report="$out/relations.json" \
		2>&1 | tee "$out/relations.log" || status=1
fi
exit $status
