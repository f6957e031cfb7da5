//go:build !cgo || !(linux || darwin)

package openvino

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

var errUnsupported = dlopen.Supported()

// Library is an opened OpenVINO. A build without cgo cannot open any.
type Library struct{ Path, Version string }

// Running always returns nil without cgo.
func Running() *Library { return nil }

// Start always fails without cgo.
func Start(string) (*Library, error) { return nil, errUnsupported }

// ReadFile always fails without cgo.
func (*Library) ReadFile(string) (*Model, error) { return nil, errUnsupported }

// ReadMemory always fails without cgo.
func (*Library) ReadMemory([]byte) (*Model, error) { return nil, errUnsupported }

// Model is a graph that has been read. A build without cgo cannot read any.
type Model struct{}

// Close does nothing.
func (*Model) Close() {}

// Ports always fails without cgo.
func (*Model) Ports() (inputs, outputs []Port, err error) { return nil, nil, errUnsupported }

// HasInput always returns false without cgo.
func (*Model) HasInput(string) bool { return false }

// Reshape always fails without cgo.
func (*Model) Reshape(map[int][]int) error { return errUnsupported }

// Compile always fails without cgo.
func (*Model) Compile(string, map[string]string) (*Compiled, error) { return nil, errUnsupported }

// Compiled is a compiled model. A build without cgo cannot compile any.
type Compiled struct{}

// Close does nothing.
func (*Compiled) Close() {}

// Property always fails without cgo.
func (*Compiled) Property(string) (string, error) { return "", errUnsupported }

// Kernels always fails without cgo.
func (*Compiled) Kernels() ([]Kernel, error) { return nil, errUnsupported }

// Infer always fails without cgo.
func (*Compiled) Infer(context.Context, []Feed, []int) ([]*tensor.Tensor, error) {
	return nil, errUnsupported
}
