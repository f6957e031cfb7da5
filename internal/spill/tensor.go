package spill

import (
	"github.com/modelparity/modelparity/internal/stored"
	"github.com/modelparity/modelparity/tensor"
)

// Tensor returns a tensor of n bytes that are not in memory. read must return bytes [from,to) of
// [tensor.Tensor.Bytes], and always the same ones. The slice must be aligned to 8 bytes if from is
// a multiple of 8. read is called on every access, possibly by several goroutines at once.
var Tensor = stored.New.(func(elem tensor.ElementType, shape tensor.Shape, n int,
	read func(from, to int) []byte) (*tensor.Tensor, error))

// Part returns bytes [from,to) of [tensor.Tensor.Bytes]. If the elements are not in memory, it
// reads only these bytes. The slice belongs to the tensor and must not be modified. Part panics if
// the range is out of bounds.
var Part = stored.Part.(func(t *tensor.Tensor, from, to int) []byte)

// InMemory reports whether a tensor's elements are in memory.
var InMemory = stored.InMemory.(func(*tensor.Tensor) bool)
