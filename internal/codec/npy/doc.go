// Package npy reads and writes tensors as NumPy's .npy files (versions 1.0 to 3.0) and .npz
// archives. The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
//
// Every element type that NumPy has is kept bit for bit, NaN payloads included. Big-endian and
// Fortran-order files are turned into the little-endian, row-major order of a [tensor.Tensor].
// ml_dtypes' types (bfloat16, float8, int4) reach a file as raw bytes, <V2 or <V1: the file does
// not say which type they are, so a caller that knows asks [Array.As].
//
// Files are taken for hostile: nothing is allocated on the word of a header alone, and every error
// says at which byte the file went wrong.
package npy
