//go:build !cgo || !(linux || darwin)

package openvino

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
)

var errUnsupported = dlopen.Supported()

// Library is an opened OpenVINO. This binary cannot open any.
type Library struct{}

// Version always fails in this binary.
func Version(string) (string, error) { return "", errUnsupported }

// Running always returns nil in this binary.
func Running() *Library { return nil }

// Start always fails in this binary.
func Start(string) (*Library, error) { return nil, errUnsupported }

// Path returns "" in this binary, and so does Version.
func (*Library) Path() string    { return "" }
func (*Library) Version() string { return "" }

// Devices always fails in this binary.
func (*Library) Devices() ([]string, error) { return nil, errUnsupported }

// Property always fails in this binary.
func (*Library) Property(string, string) (string, error) { return "", errUnsupported }

// ReadFile always fails in this binary.
func (*Library) ReadFile(string) (*Model, error) { return nil, errUnsupported }

// ReadMemory always fails in this binary.
func (*Library) ReadMemory(_, _ []byte) (*Model, error) { return nil, errUnsupported }

// Model is a graph that has been read. This binary cannot read any.
type Model struct{}

// Close does nothing.
func (*Model) Close() {}

// Ports always fails in this binary.
func (*Model) Ports() (inputs, outputs []Port, err error) { return nil, nil, errUnsupported }

// HasInput always returns false in this binary, and so does HasOutput.
func (*Model) HasInput(string) bool  { return false }
func (*Model) HasOutput(string) bool { return false }

// Reshape always fails in this binary.
func (*Model) Reshape(map[int][]Dimension) error { return errUnsupported }

// Compile always fails in this binary.
func (*Model) Compile(string, []Setting) (*Compiled, error) { return nil, errUnsupported }

// Compiled is a compiled model. This binary cannot compile any.
type Compiled struct{}

// Close does nothing.
func (*Compiled) Close() {}

// Property always fails in this binary.
func (*Compiled) Property(string) (string, error) { return "", errUnsupported }

// Infer always fails in this binary.
func (*Compiled) Infer(context.Context, []Feed, []int) ([]Tensor, error) {
	return nil, errUnsupported
}
