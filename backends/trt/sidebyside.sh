#!/usr/bin/env bash
# The same comparisons by the real Polygraphy and by modelparity on the same GPU: the verdicts must
# agree, and the times are printed. python3 must have polygraphy, tensorrt and onnxruntime;
# TensorRT's libraries must be in LD_LIBRARY_PATH.
#
#   MODELPARITY_TENSORRT_LIBRARY_PATH=FOLDER backends/trt/sidebyside.sh MODELPARITY
#
# Columns: case, Polygraphy's exit status and seconds, modelparity's with an empty engine cache,
# and with a full one.
set -uo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../../example_test" || exit 2
MODELPARITY_ENGINE_CACHE=$(mktemp -d) || exit 2
export MODELPARITY_ENGINE_CACHE
trap 'rm -r "$MODELPARITY_ENGINE_CACHE"' EXIT
digits="digits/testdata/digits.onnx --input-shapes image:[16,1,8,8]"
encoder="dynamic/testdata/encoder.onnx --input-shapes tokens:[2,16] --val-range tokens:[0,63]"
# Polygraphy's package cannot be run by -m, and its script may not be installed.
polygraphy='import sys; from polygraphy.tools import main; sys.exit(main())'
status=0

# timed runs a command and prints its exit status and seconds.
timed() {
	local start end result
	start=$(date +%s.%N)
	"$@" >"${OUT:-/tmp}/sidebyside.last" 2>&1
	result=$?
	end=$(date +%s.%N)
	printf '%d %.2f' "$result" "$(python3 -c "print($end - $start)")"
}

# compare runs one case: its name, and the flags that both understand.
compare() {
	local name=$1 theirs cold warm
	shift
	theirs=$(timed python3 -c "$polygraphy" run "$@" --trt --onnxrt)
	# An error ends with the status of a mismatch; only a verdict counts the outputs.
	if ! grep -Eq 'All outputs matched|Mismatched outputs' "${OUT:-/tmp}/sidebyside.last"; then
		echo "Polygraphy did not run $name" >&2
		tail -n 5 "${OUT:-/tmp}/sidebyside.last" >&2
		status=1
	fi
	cold=$(timed "$program" run "$@" --trt --onnxrt)
	warm=$(timed "$program" run "$@" --trt --onnxrt)
	printf '%s\t%s\t%s\t%s\n' "$name" "$theirs" "$cold" "$warm"
	if [[ ${theirs%% *} != "${cold%% *}" || ${cold%% *} != "${warm%% *}" ]]; then
		echo "the verdicts of $name differ" >&2
		tail -n 5 "${OUT:-/tmp}/sidebyside.last" >&2
		status=1
	fi
}

compare "digits 1e-4" $digits --atol 1e-4 --rtol 1e-4
compare "digits 0" $digits --atol 0 --rtol 0
compare "digits median" $digits --atol 1e-6 --rtol 1e-6 --check-error-stat median
compare "digits fp16 1e-6" $digits --fp16 --atol 1e-6 --rtol 1e-6
compare "digits fp16 0.2" $digits --fp16 --atol 0.2 --rtol 0.2
compare "digits tf32 0.2" $digits --tf32 --atol 0.2 --rtol 0.2
compare "digits bf16 1e-6" $digits --bf16 --atol 1e-6 --rtol 1e-6
compare "digits int8 1e-6" $digits --int8 --atol 1e-6 --rtol 1e-6
compare "encoder 1e-4" $encoder --atol 1e-4 --rtol 1e-4
compare "encoder 0" $encoder --atol 0 --rtol 0
exit $status
