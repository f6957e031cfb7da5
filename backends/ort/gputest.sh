#!/usr/bin/env bash
# Runs the specs of ONNX Runtime's CUDA and TensorRT providers, from a test binary that was built
# elsewhere: the machine with the GPU needs neither Go nor a compiler. `make gpu-test-ort` builds it
# and calls this.
#
#   ONNXRUNTIME_SHARED_LIBRARY_PATH=FILE backends/ort/gputest.sh ORT_TEST [MODELPARITY]
#
# FILE is the libonnxruntime of onnxruntime-gpu, next to its providers; LD_LIBRARY_PATH names the
# folders of CUDA, cuDNN and TensorRT. With the program modelparity its command line is tried as
# well. Results go to $OUT, or artifacts/gpu in the module.
#   FOCUS=REGEXP       only the specs whose text fits
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
specs=$(realpath "$1") modelparity=${2:+$(realpath "$2")} out=${OUT:-$root/artifacts/gpu}
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

# expect holds a command to its exit status (0 equal, 1 differs, 2 could not compare) and to a text
# that it prints.
expect() { # STATUS TEXT ARGUMENT...
	local want=$1 text=$2 got=0 printed
	shift 2
	printed=$("$modelparity" "$@" 2>&1) || got=$?
	echo "$printed"
	if [[ $got == "$want" && $printed == *"$text"* ]]; then
		echo "== as expected: $*"
	else
		echo "== FAILED: status $got, expected $want and the text '$text': $*"
		status=1
	fi
}

command_line() {
	local digits=$root/example_test/digits/testdata/digits.onnx saved=$out/cpu.json
	local strings=$root/backends/ort/testdata/identity_string.onnx
	local four=(--input-shapes 'image:[4,1,8,8]')
	expect 0 'ONNX Runtime by cuda: found' doctor
	expect 0 'ONNX Runtime by tensorrt: found' doctor
	expect 0 saved run "$digits" --onnxrt "${four[@]}" --save-outputs "$saved"
	expect 0 '(CUDAExecutionProvider)' run "$digits" --onnxrt --providers cuda "${four[@]}" \
		--load-outputs "$saved" --atol 1e-4 --rtol 1e-4
	expect 0 '(TensorrtExecutionProvider)' run "$digits" --onnxrt --providers tensorrt \
		"${four[@]}" --load-outputs "$saved" --atol 0.1
	expect 0 'CUDAExecutionProvider 1 (Softmax)' run "$digits" --onnxrt --providers tensorrt cuda \
		--provider-options tensorrt:trt_op_types_to_exclude=Softmax "${four[@]}" \
		--load-outputs "$saved" --atol 0.1
	expect 0 'no tensor is out of tolerance' locate "$digits" --onnxrt --providers cuda \
		--expected-providers cpu "${four[@]}" --atol 1e-4 --rtol 1e-4
	expect 2 'set NVIDIA_TF32_OVERRIDE=0' run "$digits" --onnxrt --providers tensorrt --fp32 \
		--load-outputs "$saved"
	expect 2 'Identity would run on the CPU' run "$strings" --onnxrt --providers cuda \
		--save-outputs "$out/none.json"
	expect 2 'CUDAExecutionProvider runs none of the model's nodes' run "$strings" --onnxrt \
		--providers cuda cpu --save-outputs "$out/none.json"
	rm -f "$saved"
}

run ort "${FOCUS-}"
# Once more without TF32, which only the environment can forbid to the TensorRT provider.
[[ -n ${FOCUS-} ]] || NVIDIA_TF32_OVERRIDE=0 run ort-float32 'TensorRT provider (gives|computes)'
if [[ -n $modelparity ]]; then
	command_line >"$out/ort-command-line.log" 2>&1
	cat "$out/ort-command-line.log"
fi
exit $status
