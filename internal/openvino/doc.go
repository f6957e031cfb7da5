// Package openvino contains all calls to OpenVINO's shared library. It uses OpenVINO's C API
// (libopenvino_c), opens the library at run time, and looks up symbols by name. It needs neither
// OpenVINO's headers nor its development files: abi.h declares the functions, and a test compares
// these declarations with the headers in the openvino wheel.
//
// Inputs and outputs are copied to and from OpenVINO's memory. OpenVINO aligns the copies. This
// matters because the address of an input can affect which kernel runs, and therefore the last bit
// of a result.
//
// The library stores only one error text per process: the last error's. If two calls fail at the
// same time, both errors may have the same text, but each has its own status.
package openvino
