package dlopen

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/tensor"
)

// Codes lists the element types that a library supports, by the library's codes for them. Codes of
// other types are [tensor.Invalid].
type Codes []tensor.ElementType

// Of returns the library's code for an element type, or -1 if the library does not support it.
func (c Codes) Of(elem tensor.ElementType) int {
	if elem == tensor.Invalid {
		return -1
	}
	return slices.Index(c, elem)
}

// Element returns the element type that has the given code, or [tensor.Invalid].
func (c Codes) Element(code int) tensor.ElementType {
	if code < 0 || code >= len(c) {
		return tensor.Invalid
	}
	return c[code]
}

// Copy returns a copy of a tensor in a library's memory: code is the library's code for the element
// type, and data the address of the first element. Bits that belong to no element become 0, because
// libraries leave them undefined.
func (c Codes) Copy(code int, shape tensor.Shape, data unsafe.Pointer) (*tensor.Tensor, error) {
	elem := c.Element(code)
	if elem == tensor.Invalid {
		return nil, fmt.Errorf("the engine returned element type %d, which modelparity does not "+
			"support", code)
	}
	n, err := shape.Elements()
	if err == nil {
		err = memory.Allows(uint64(elem.Bytes(n)))
	}
	if err != nil {
		return nil, fmt.Errorf("a tensor of shape %v cannot be copied: %w", shape, err)
	}
	copied := make([]byte, elem.Bytes(n))
	if len(copied) > 0 {
		copy(copied, unsafe.Slice((*byte)(data), len(copied)))
		if rest := n * elem.Bits() % 8; rest > 0 {
			copied[len(copied)-1] &= 1<<rest - 1
		}
	}
	return tensor.FromBytes(elem, shape, copied)
}

// Shape converts the sizes of a library's tensor.
func Shape[D ~int64 | ~uint32 | ~uint64](sizes []D) tensor.Shape {
	shape := make(tensor.Shape, len(sizes))
	for i, size := range sizes {
		shape[i] = int(size)
	}
	return shape
}
