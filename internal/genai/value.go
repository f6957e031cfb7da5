package genai

import (
	"errors"
	"fmt"
	"math"
)

// ErrClosed is the error that methods of a closed model or generator return.
var ErrClosed = errors.New("the model is closed")

// Error is the error that the library reports for a failed call, as one line.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// ElementType is the number that the library's enum OgaElementType gives to an element type. ONNX
// Runtime uses the same numbers.
type ElementType int32

// bits maps element types to the widths in bits that they have in the library's tensors.
var bits = map[ElementType]int{1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64,
	12: 32, 13: 64, 16: 16}

// Value is a tensor in memory managed by Go. Its data is little-endian and in row-major order.
type Value struct {
	Type  ElementType
	Shape []int
	Data  []byte
}

// bytes returns the size in bytes of a tensor with that type and shape.
func bytes(t ElementType, shape []int) (int, error) {
	size := bits[t] / 8
	if size == 0 {
		return 0, fmt.Errorf("unknown element type %d of ONNX Runtime GenAI", t)
	}
	for _, d := range shape {
		if d < 0 || d > 0 && size > math.MaxInt/d {
			return 0, fmt.Errorf("invalid shape %v", shape)
		}
		size *= d
	}
	return size, nil
}

// Source says where to load a model from.
type Source struct {
	Folder  string // contains genai_config.json
	File    string // the name that the configuration uses for Data
	Data    []byte // the model; nil if it is in Folder
	Overlay string // JSON that overrides the configuration, or ""
}
