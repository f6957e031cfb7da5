// Package golden finds, reads and updates golden files: recorded runs that specs compare new runs
// with.
//
// A golden file, testdata/golden/<name>.json, contains one run in Polygraphy's format for saved
// outputs, so `polygraphy run --load-outputs` reads it. The file begins with a human-readable
// header under the key "modelparity", followed by the part that Polygraphy reads. The header
// contains the run's provenance, and each output's type, shape, statistics, first values and
// checksum. Reading a file checks the header against the data.
//
// Polygraphy's arrays cannot represent every element type. bfloat16 is saved as raw <V2, and
// narrower types as raw <V1 (one byte per element), as ml_dtypes does; the header names the real
// type. Strings are fixed-width NumPy text.
//
// The package registers one flag, -golden.update; see [Updating].
package golden
