// Package precision rounds models to formats with fewer bits than float32, and measures the error
// that the format alone causes in a network. For engines that compute in the format, this error
// replaces a hand-picked tolerance.
//
// [Of] runs the model with rounded weights and tensors, in an engine that computes in float32.
// compare.NoWorseThan judges an engine's outputs by the result. docs/noise.md describes the method
// and its limits, and lists its sources.
//
// [TwinAmong] finds out in which precision an engine really computes, by running a model whose
// values are all integers; see [Twin].
package precision
