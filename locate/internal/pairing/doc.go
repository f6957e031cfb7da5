// Package pairing finds which tensors of two ONNX graphs correspond. Graphs from two exporters, or
// from one exporter and an optimizer, share few names and not all nodes.
//
// [Match] proposes pairs from three kinds of evidence:
//
//   - values: both sides computed the same numbers ([Sketch]). This is the strongest evidence, and
//     works up to where the sides diverge. Constant tensors, small ones and integers prove nothing
//     by their values; integers that represent quantized values are dequantized first.
//   - structure: the operators are the same, and so are their positions between tensors paired
//     already, their shapes, and if known their attributes and weights. This also works after the
//     sides diverge. Match looks through nodes that merely pass values on (Identity, Cast, Reshape,
//     Transpose, QuantizeLinear, …), and through constants folded into a Conv, Gemm or MatMul.
//   - names: the same name, unless other evidence contradicts it.
//
// A pair is only a proposal. Package locate confirms pairs by values, and drops the others.
package pairing
