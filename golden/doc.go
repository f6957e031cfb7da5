// Package golden keeps runs in files: it finds them, reads them, and writes them again when asked.
//
// A golden file, testdata/golden/<name>.json, is one run written down in Polygraphy's format of
// saved outputs, so `polygraphy run --load-outputs` reads it. Before Polygraphy's part stands ours,
// under the key "modelparity": a head that a reviewer can read, with who made the run, and each
// output's type, shape, statistics, first values and checksum. The head is checked against the
// data whenever a file is read.
//
// Polygraphy's arrays cannot name every element type. bfloat16 is saved as raw <V2, narrower types
// as raw <V1 (one element to a byte), as ml_dtypes would have it; the head says what they are.
// Strings are fixed-width NumPy text.
//
// The package registers one flag, -golden.update; see [Updating].
package golden
