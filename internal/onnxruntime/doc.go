// Package onnxruntime contains all calls to ONNX Runtime's shared library. The binding
// github.com/yalue/onnxruntime_go owns the library, the environment, the providers and the
// sessions. This package adds the values that the binding does not support fully: 0-d tensors,
// 16-bit floats of unknown shape, packed 4-bit types, strings with NUL bytes, sequences of all of
// these, optionals without a value, and models without inputs (see RATIONALE.md). To support these,
// it calls two dozen entries of ONNX Runtime's C function table directly, by index; the C API never
// changes an index.
//
// Inputs are read in place by the library; outputs are copied to Go's memory.
package onnxruntime

import "fmt"

// NeededMinor is the minor version of the oldest ONNX Runtime that can be used. It is the version
// of the C API that the binding requests.
const NeededMinor = 24

// Recent reports whether a library with the given version ("1.31.1") has the C API that the binding
// needs. The version of the API is the minor version of the library.
func Recent(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n == 2 && (major > 1 || major == 1 && minor >= NeededMinor)
}
