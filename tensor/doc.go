// Package tensor holds the values that models take and give: element types, shapes, tensors, and
// ordered sets of named tensors.
//
// A [Tensor] is a flat, row-major buffer of little-endian elements with an element type and a
// shape, as ONNX, NumPy and TensorRT all lay it out. It is immutable by convention: nothing in
// modelparity writes to a tensor it was given, so one buffer may be shared by a run, a golden file
// and a report without a copy.
//
// A tensor owns its formatting: [Tensor.GomegaString] and [Tensor.String] show the type, the shape
// and a few values, never the whole buffer, so that no matcher can dump a million elements.
//
// Package [github.com/modelparity/modelparity/tensor/files] reads and writes files of tensors.
package tensor
