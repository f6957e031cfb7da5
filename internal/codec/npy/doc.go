// Package npy reads and writes tensors as NumPy's .npy files (versions 1.0 to 3.0) and .npz
// archives. The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
//
// Every element type that NumPy has is preserved bit for bit, including NaN payloads. Big-endian
// and Fortran-order files are converted to the little-endian, row-major order of a [tensor.Tensor].
// The types of ml_dtypes (bfloat16, float8, int4) are stored as raw bytes, <V2 or <V1. The file
// does not name their type, so callers that know it pass it to [Array.As].
//
// Files are not trusted: sizes in a header are checked before memory is allocated, and every error
// names the byte offset.
package npy
