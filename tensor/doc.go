// Package tensor contains the inputs and outputs of models: element types, shapes, tensors, and
// ordered sets of named tensors.
//
// A [Tensor] is a flat, row-major buffer of little-endian elements with an element type and a
// shape, the same layout as in ONNX, NumPy and TensorRT. It is immutable by convention: nothing in
// modelparity modifies a tensor that it receives, so a run, a golden file and a report may share
// one buffer.
//
// A tensor formats itself: [Tensor.GomegaString] and [Tensor.String] show the type, the shape and a
// few values, never the whole buffer, so that no matcher can print a million elements.
//
// Package fixtures reads and writes files of tensors.
package tensor
