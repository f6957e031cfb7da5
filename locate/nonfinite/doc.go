// Package nonfinite finds where NaN and infinities come from: the node that makes the first of
// them, what its operands range over, and how near float16 tensors come to 65504.
package nonfinite
