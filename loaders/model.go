package loaders

import (
	"path/filepath"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

// Model is one ONNX model. Make one with [ONNX] or [ONNXBytes]; both are cheap and cannot fail, so
// that a model may be named in the body of a Describe. The file is read and scanned once, at the
// first question, and every question gives the same error if that fails.
//
// A Model is safe for concurrent use.
type Model struct {
	path string // "" for a model in memory
	name string

	once     sync.Once
	data     []byte
	declared declaration
	err      error
}

// ONNX names the ONNX model at path.
func ONNX(path string) *Model { return &Model{path: path, name: filepath.Base(path)} }

// ONNXBytes is the ONNX model that data holds; name stands for it in messages. The model takes
// data over: the caller must not write to it afterwards. External data is not reachable from it.
func ONNXBytes(name string, data []byte) *Model { return &Model{name: name, data: data} }

// Name is the file's base name, or the name that was given to [ONNXBytes].
func (m *Model) Name() string { return m.name }

// Path is where the model was read from, and "" for a model in memory.
func (m *Model) Path() string { return m.path }

// Value is what a model declares about one of its inputs or outputs.
type Value struct {
	Name     string
	Kind     Kind
	Type     tensor.ElementType // Invalid for a type that is not known here, and for non-tensors
	TypeName string             // as ONNX says it: tensor(float), seq(tensor(int64)), …
	HasShape bool               // false: the rank is not declared
	Dims     []Dim
}

// Kind tells tensors from the other values that ONNX has.
type Kind uint8

// The kinds of value.
const (
	Tensor Kind = iota
	Sequence
	Map
	Optional
	SparseTensor
)

// Dim is one declared dimension: a size, a symbol such as "batch", or neither (unknown).
type Dim struct {
	Size   int // -1 where the dimension is dynamic
	Symbol string
}

// Dynamic reports whether the dimension has no fixed size.
func (d Dim) Dynamic() bool { return d.Size < 0 }
