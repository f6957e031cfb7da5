// Package compound describes values that are sequences or maps, which runs store as several
// tensors. Messages and reports use this package to show such a value as the model declares it.
package compound

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Ragged reports whether v is a sequence whose items have different shapes or are sequences
// themselves. For such a sequence, [tensor.Value.Stack] returns a one-dimensional tensor.
func Ragged(v *tensor.Value) bool {
	if v.Tensor != nil || v.Keys != nil {
		return false
	}
	leaves := v.Leaves()
	return len(leaves) != len(v.Items) || slices.ContainsFunc(leaves, func(t *tensor.Tensor) bool {
		return !t.Shape().Equal(leaves[0].Shape())
	})
}

// Index returns the index of an element of v. flat is the flat index of the same element in the
// tensor that [tensor.Value.Stack] returns for v. For a sequence, the result is the item's index
// followed by the index within the item.
func Index(v *tensor.Value, flat int) []int {
	leaves := v.Leaves()
	if v.Tensor != nil || v.Keys != nil {
		return leaves[0].Shape().Index(flat)
	}
	for i, leaf := range leaves {
		if flat < leaf.Len() {
			return append([]int{i}, leaf.Shape().Index(flat)...)
		}
		flat -= leaf.Len()
	}
	return nil
}

// Key returns the map key that belongs to an element of the tensor that [tensor.Value.Stack]
// returns. flat is the element's flat index. Key returns "" if the value contains no maps.
func Key(v *tensor.Value, flat int) string {
	if v.Tensor != nil {
		return ""
	}
	if v.Keys != nil {
		return keyText(v.Keys, flat)
	}
	for i := range v.Items {
		n := 0
		for _, leaf := range v.Items[i].Leaves() {
			n += leaf.Len()
		}
		if flat < n {
			return Key(&v.Items[i], flat)
		}
		flat -= n
	}
	return ""
}

// keyText formats a key in Go syntax.
func keyText(keys *tensor.Tensor, i int) string {
	if keys.ElementType() == tensor.String {
		return fmt.Sprintf("%q", keys.Strings()[i])
	}
	return keys.Text(i)
}

// TypeName returns the value's type in ONNX's notation, but with package tensor's names for element
// types: "seq(map(string,float32))".
func TypeName(v *tensor.Value) string {
	switch {
	case v.Tensor != nil:
		return v.Tensor.ElementType().String()
	case v.Keys != nil:
		return fmt.Sprintf("map(%v,%v)", v.Keys.ElementType(), v.Mapped.ElementType())
	case len(v.Items) == 0:
		return "seq"
	}
	return "seq(" + TypeName(&v.Items[0]) + ")"
}
