// Package onnxruntime is the room where ONNX Runtime's shared library is touched. The binding
// github.com/yalue/onnxruntime_go owns the library, the environment, the providers and the
// sessions; this package adds the values, which the binding cannot carry whole: 0-d tensors,
// 16-bit floats of unknown shape, packed 4-bit types, strings with NUL bytes, sequences of all of
// these, optionals without a value, and models without inputs (RATIONALE.md says more). For them
// it calls two dozen entries of ONNX Runtime's C function table itself, by the numbers that the C
// API keeps for good.
//
// Nothing here knows a tensor.Tensor: values are plain [Value]s, copied in and out.
package onnxruntime

import (
	"strconv"
	"strings"
)

// NeededMinor is the minor version of the oldest ONNX Runtime that the binding accepts: the C API
// version it asks for.
const NeededMinor = 24

// Recent reports whether a version ("1.31.1") has the C API that the binding needs. The API's
// number is the library's minor version.
func Recent(version string) bool {
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return false
	}
	major, _ := strconv.Atoi(parts[0])
	minor, err := strconv.Atoi(parts[1])
	return err == nil && (major > 1 || major == 1 && minor >= NeededMinor)
}
