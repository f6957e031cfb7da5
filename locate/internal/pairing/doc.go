// Package pairing finds which tensors of two ONNX graphs mean the same: graphs that two exporters
// wrote, or one exporter and an optimiser, share few names and not all nodes.
//
// [Match] proposes pairs from three kinds of evidence:
//
//   - values: both sides gave the same numbers for it ([Sketch]). This is the strongest evidence,
//     and reaches up to where the sides part. Constant tensors, small ones and integers prove
//     nothing by their values; integers that are quantized values are taken for those.
//   - structure: the operator is the same, and so are its place between tensors that are paired
//     already, its shape, and as far as they go its attributes and weights. This reaches beyond
//     the place where the sides part. Nodes that only carry values on (Identity, Cast, Reshape,
//     Transpose, QuantizeLinear, …) are looked through, and so are constants that were folded into
//     a Conv, Gemm or MatMul.
//   - names: the same name, where neither of the others contradicts it.
//
// A pair is a proposal until values confirm it: package locate does that, and drops what nothing
// confirms.
package pairing
