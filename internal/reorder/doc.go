// Package reorder rewrites an ONNX model so that every run has different rounding errors, such as
// another correct engine might have. Package noise measures the effect of rounding with such
// models. The rewritten model computes the same function:
//
//   - a matrix multiplication, convolution or reduction sums its terms in a new random order in
//     every run: a Gather permutes each operand, and the model itself draws the permutation;
//   - a function such as Exp, Erf or Softmax, whose accuracy differs between engines, gets a random
//     relative error as large as its known accuracy; a saturating function also gets an absolute
//     error in proportion to its range;
//   - an operator whose sums cannot be reordered, such as LSTM, gets operands with random errors of
//     about one unit in the last place.
//
// Constants and inputs do not change, because all engines get exactly the same ones. The random
// nodes have fixed seeds, so every session gives the same sequence of results.
package reorder
