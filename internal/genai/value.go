package genai

import (
	"errors"
	"fmt"
	"math"
)

// ErrClosed is returned by calls on a model or a generator that was closed.
var ErrClosed = errors.New("the model is closed")

// Error is what the library says about a call that failed, on one line.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// ElementType is the library's number of an element type (enum OgaElementType). They are ONNX
// Runtime's.
type ElementType int32

// bits are the widths of the elements that a tensor of the library can have.
var bits = map[ElementType]int{1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64,
	12: 32, 13: 64, 16: 16}

// Value is one tensor in Go's memory: little-endian, row by row.
type Value struct {
	Type  ElementType
	Shape []int
	Data  []byte
}

// bytes is how many a tensor of that type and shape has.
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

// Source is where a model comes from.
type Source struct {
	Folder  string // of genai_config.json
	File    string // the name that the configuration has for Data
	Data    []byte // the model; nil where the folder has it
	Overlay string // JSON over the configuration, or ""
}
