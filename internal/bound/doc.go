// Package bound computes how far a node's output may be from the exact result. It computes the node
// in float64 from the inputs that a run recorded, and bounds the rounding error that a correct
// engine may make: in whatever order the engine sums, with or without fused multiply-add, with or
// without subnormal numbers. An engine whose output exceeds the bound is wrong, and no second
// engine is needed to show it.
//
// A sum of K products has the bound γ_K·Σ|a·b| with γ_K = K·u/(1 − K·u), where u is the unit
// roundoff: half the distance between 1 and the next number. See N. J. Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd edition, 2002, sections 3.1 and 3.5. For functions such as
// Exp, which no standard prescribes, [reorder.Accuracy] gives the accuracy.
//
// A bound for every order grows with K, although errors in practice grow with √K or less. So a long
// sum hides small faults: TF32 operands exceed the bound only up to about K = 800. Therefore the
// errors of matrix multiplications and convolutions are also compared with the errors of a plain
// float32 sum, which are not a bound. Winograd's algorithm for convolutions does not sum the
// operator's own products. Its error is relative to the largest sum nearby, so an engine that may
// use it gets a wider bound.
package bound
