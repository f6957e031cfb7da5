// Package precision rounds models to formats with fewer bits than float32. It measures the error
// that the format itself causes in a network. That error replaces a hand-picked tolerance for
// engines that compute in the format.
//
// [Of] runs the model with weights and tensors rounded, in an engine that computes in float32;
// compare.NoWorseThan judges outputs by the result. docs/noise.md describes the method, its limits
// and its sources. [TwinAmong] determines from integer arithmetic alone which precision an engine
// computes in; see [Twin].
package precision
