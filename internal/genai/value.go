package genai

import (
	"errors"
	"fmt"
	"math"
)

// ErrClosed is returned by calls on a closed model or generator.
var ErrClosed = errors.New("the model is closed")

// Error is the library's error for a failed call, on one line.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// ElementType is the library's number of an element type (enum OgaElementType). The numbers are
// ONNX Runtime's.
type ElementType int32

// bits are the widths of the elements in the library's tensors.
var bits = map[ElementType]int{1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64,
	12: 32, 13: 64, 16: 16}

// Value is one tensor in Go's memory: little-endian, in row-major order.
type Value struct {
	Type  ElementType
	Shape []int
	Data  []byte
}

// bytes returns the size of a tensor of that type and shape.
func bytes(t ElementType, shape []int) (int, error) {
	size := bits[t] / 8
	if size == 0 {
		return 0, fmt.Errorf("unknown element type %d of ONNX Runtime GenAI", t)
	}
	for _, d := range shape {
		if d < 0 || d > 0 && size > math.MaxInt/d {
			return 0, fmt.Errorf("impossible shape %v", shape)
		}
		size *= d
	}
	return size, nil
}

// Source is the origin of a model.
type Source struct {
	Folder  string // of genai_config.json
	File    string // the configuration's name for Data
	Data    []byte // the model; nil if it is in the folder
	Overlay string // JSON that overrides the configuration, or ""
}
