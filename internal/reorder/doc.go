// Package reorder rewrites an ONNX model so that every run has different rounding errors, such as
// another correct engine might have. Package noise measures the effect of rounding with such
// models. The rewritten model computes the same function:
//
//   - a product or a reduction sums its terms in a new random order in every run: one Gather for
//     each operand, with a permutation that the model itself draws;
//   - a function such as Exp, Erf or Softmax, whose accuracy differs between engines, gets a random
//     relative error as large as its known accuracy; a saturating function also gets an absolute
//     error in proportion to its range;
//   - an operator whose sums cannot be reordered, such as LSTM, gets operands with random errors of
//     about one unit in the last place.
//
// Constants and inputs stay as they are, since both engines share them exactly. The random nodes
// have fixed seeds, so every session gives the same sequence of results.
package reorder
