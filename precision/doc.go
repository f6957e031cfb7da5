// Package precision rounds models to formats with fewer bits than float32. It measures the error
// that a format itself causes in a network, which replaces a hand-picked tolerance for engines that
// compute in that format.
//
// [Of] runs the model with weights and tensors rounded, in an engine that computes in float32;
// compare.NoWorseThan judges by the result. docs/noise.md describes the method, its limits and its
// sources. [TwinAmong] finds out by integers alone what precision an engine computes in; see
// [Twin].
package precision
