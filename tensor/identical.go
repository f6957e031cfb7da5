package tensor

import (
	"bytes"
	"slices"
)

// Identical reports whether two tensors have the same element type, shape and bits.
func (t *Tensor) Identical(other *Tensor) bool {
	return t.ElementType() == other.ElementType() && t.Shape().Equal(other.Shape()) &&
		bytes.Equal(t.Bytes(), other.Bytes()) && slices.Equal(t.Strings(), other.Strings())
}
