// Package openvino contains all calls to OpenVINO's shared library: its C API (libopenvino_c),
// opened at run time, with symbols looked up by name. It needs neither OpenVINO's headers nor its
// development files: abi.h declares the functions, and a test compares it with the headers in the
// openvino wheel.
//
// This package does not use tensor.Tensor: values are plain [Tensor]s, copied in and out. They are
// copied so that OpenVINO aligns them: the address of an input can affect which kernel runs, and so
// the last bit of a result.
//
// The library stores the text of its last error once per process. Two simultaneous failures may
// therefore have the same text, but each has its own status.
package openvino
