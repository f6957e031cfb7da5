package compare

import (
	"bytes"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// Furthest returns the index of the element in which two tensors of one type and shape differ most,
// and the number of elements whose bits differ. NaN equals NaN; the distance of NaN from a number
// counts as larger than any other distance. If nothing differs, the index is -1. Furthest is slow,
// because it reads one element at a time: use it for messages, not for verdicts.
func Furthest(actual, expected *tensor.Tensor) (at, differing int) {
	at, greatest := -1, 0.0
	for i := range actual.Len() {
		if sameElement(actual, expected, i) {
			continue
		}
		differing++
		d := math.Abs(actual.Float64At(i) - expected.Float64At(i))
		if at < 0 || d > greatest || math.IsNaN(d) && !math.IsNaN(greatest) {
			at, greatest = i, d
		}
	}
	return at, differing
}

// sameElement reports whether element i has the same bits in both tensors, or is NaN in both.
func sameElement(a, b *tensor.Tensor, i int) bool {
	if a.ElementType() == tensor.String {
		return a.Strings()[i] == b.Strings()[i]
	}
	x, y := a.Float64At(i), b.Float64At(i)
	if n := a.ElementType().Bits() / 8; n > 0 && x == y {
		// Different 64-bit integers may be equal as float64.
		return bytes.Equal(a.Bytes()[i*n:i*n+n], b.Bytes()[i*n:i*n+n])
	}
	return x == y || math.IsNaN(x) && math.IsNaN(y)
}
