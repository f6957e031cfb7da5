// Package pairing finds which tensors of two ONNX graphs correspond. Graphs from two exporters, or
// before and after an optimizer, have few names in common, and some nodes exist on one side only.
//
// [Match] proposes pairs from three kinds of evidence:
//
//   - values: both sides computed the same numbers ([Sketch]). This is the strongest evidence, but
//     it is available only up to where the sides diverge. The values of constant tensors, small
//     tensors and integers prove nothing; integers that represent quantized values are dequantized
//     first.
//   - structure: the operators are the same, and so are their positions between tensors that are
//     already paired, their shapes and, if known, their attributes and weights. This also works
//     after the sides diverge. Match skips nodes that merely pass values on (Identity, Cast,
//     Reshape, Transpose, QuantizeLinear, …), and constants folded into a Conv, Gemm or MatMul.
//   - names: of several tensors or nodes that fit, the one with the same name.
//
// A pair is only a proposal. Package locate keeps the pairs that values confirm and drops the
// others.
package pairing
