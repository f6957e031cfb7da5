package tensor

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/stored"
)

func init() { stored.New, stored.Part, stored.InMemory = fromStored, part, inMemory }

// fromStored is like [FromBytes], for n bytes that are not in memory. The function read must return
// bytes [from,to) of [Tensor.Bytes], and must return equal bytes for equal arguments. If from is a
// multiple of 8, the slice must be aligned to 8 bytes. Every access calls read, possibly from
// several goroutines at once.
func fromStored(elem ElementType, shape Shape, n int, read func(from, to int) []byte) (
	*Tensor, error) {
	if !elem.Valid() || elem == String {
		return nil, fmt.Errorf("tensor: %v elements cannot be made from bytes", elem)
	}
	elements, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if want := elem.Bytes(elements); want != n {
		return nil, fmt.Errorf("tensor: %v%v needs %d bytes, got %d", elem, shape, want, n)
	}
	return &Tensor{elem: elem, shape: shape.clone(), n: elements, stored: read}, nil
}

// inMemory reports whether the elements are in memory.
func inMemory(t *Tensor) bool { return t == nil || t.stored == nil }

// part returns bytes [from,to) of [Tensor.Bytes]. If the elements are not in memory, it reads only
// these bytes. It panics if the range is out of bounds.
func part(t *Tensor, from, to int) []byte {
	if !inMemory(t) && 0 <= from && from <= to && to <= t.Size() {
		return t.stored(from, to)
	}
	return t.Bytes()[from:to]
}
