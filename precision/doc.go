// Package precision rounds models to formats with fewer bits than float32, and measures the error
// that the format alone causes in a network. For engines that compute in the format, this error
// takes the place of a hand-picked tolerance.
//
// [Of] runs the model with rounded weights and tensors, in an engine that computes in float32.
// compare.NoWorseThan judges an engine's outputs by the result. docs/noise.md describes the method
// and its limits, and lists its sources.
//
// [TwinAmong] finds out from integer arithmetic alone in which precision an engine computes; see
// [Twin].
package precision
