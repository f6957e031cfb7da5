// Package bound says how far from the exact result an engine's node may be. It computes a node in
// float64 from the inputs that a run recorded, together with a bound of the rounding error of any
// correct engine: in whatever order it sums, with or without fused multiply-add, with or without
// subnormal numbers. If an output is further away than that, the engine is wrong, and no second
// engine is needed to say so.
//
// A sum of K products has the bound γ_K·Σ|a·b| with γ_K = K·u/(1 − K·u), where u is the unit
// roundoff: half the distance between 1 and the next number. See N. J. Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd edition, 2002, sections 3.1 and 3.5. The functions that
// the IEEE standard leaves to the engine have the accuracies of [reorder.Accuracy].
//
// A bound for every order grows with K, although errors in practice grow with √K or less. So a
// long sum hides small faults: operands in TF32 exceed the bound up to about K = 800. Therefore the
// errors of products are also compared with those of a float32 sum one by one, which is no bound.
// Winograd's algorithm for convolutions does not sum the operator's own products. Its error is
// relative to the greatest sum nearby, so an engine that may use it gets a wider bound.
package bound
