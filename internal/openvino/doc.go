// Package openvino contains all calls to OpenVINO's shared library. It uses OpenVINO's C API
// (libopenvino_c), opens the library at run time, and looks up symbols by name. It needs neither
// OpenVINO's headers nor its development files: abi.h declares the functions, and a test compares
// these declarations with the headers in the openvino wheel.
//
// This package does not use tensor.Tensor: values are plain [Tensor]s, which are copied in and out.
// The copies are aligned by OpenVINO. This matters because the address of an input can affect which
// kernel runs, and therefore the last bit of a result.
//
// The library stores the text of its last error once per process. If two calls fail at the same
// time, both errors may have the same text, but each has its own status.
package openvino
