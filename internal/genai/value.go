package genai

import (
	"errors"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

// ErrClosed is the error that methods of a closed model or generator return.
var ErrClosed = errors.New("the model is closed")

// Error is the error that the library reports for a failed call, as one line.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// codes lists the element types by their numbers in the library's enum OgaElementType.
var codes = dlopen.Codes{1: tensor.Float32, 2: tensor.Uint8, 3: tensor.Int8, 4: tensor.Uint16,
	5: tensor.Int16, 6: tensor.Int32, 7: tensor.Int64, 9: tensor.Bool, 10: tensor.Float16,
	11: tensor.Float64, 12: tensor.Uint32, 13: tensor.Uint64, 16: tensor.BFloat16}

// Source says where to load a model from.
type Source struct {
	Folder  string // contains genai_config.json
	File    string // the name that the configuration uses for Data
	Data    []byte // the model; nil if it is in Folder
	Overlay string // JSON that overrides the configuration, or ""
}
