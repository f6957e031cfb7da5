// Package openvino is the room where OpenVINO's shared library is touched: its C API
// (libopenvino_c), opened at run time, by the names that the library exports. Neither its headers
// nor its development files are needed; abi.h declares what is called, and a test holds that to the
// headers which the openvino wheel carries.
//
// Nothing here knows a tensor.Tensor: values are plain [Tensor]s, copied in and out. They are
// copied, and not lent, because OpenVINO then aligns them: which kernel runs, and so the last bit
// of a result, may hang on the address of its input.
//
// The library keeps the text of its last error in one place for the whole process. Two failures in
// the same moment may therefore carry the same words; the status of each is its own.
package openvino
