// Package precision rounds models to formats of fewer bits than float32, so that an engine that
// computes in such a format can be held to the error that the format itself causes on the same
// network, rather than to a tolerance that somebody chose.
//
// [Of] runs the model with its weights and tensors rounded, in an engine that computes in float32;
// compare.NoWorseThan judges by it. docs/noise.md has the method, its limits and its sources.
// [TwinAmong] shows what an engine computes in by integers alone: see [Twin].
package precision
