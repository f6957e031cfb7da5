//go:build !cgo || !(linux || darwin)

package genai

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

var errUnsupported = dlopen.Supported()

// Library is an opened library. A build without cgo cannot open any.
type Library struct{}

// Open always fails without cgo.
func Open(string) (*Library, error) { return nil, errUnsupported }

// Load always fails without cgo.
func (l *Library) Load(Source) (*Model, error) { return nil, errUnsupported }

// Model is a network with its configuration.
type Model struct{}

// Close does nothing without cgo.
func (m *Model) Close() {}

// Generator always fails without cgo.
func (m *Model) Generator() (*Generator, error) { return nil, errUnsupported }

// Generator is one sequence with its cache.
type Generator struct{}

// Append always fails without cgo.
func (g *Generator) Append(context.Context, []int32) error { return errUnsupported }

// Rewind always fails without cgo.
func (g *Generator) Rewind(int) error { return errUnsupported }

// Output always fails without cgo.
func (g *Generator) Output(string) (*tensor.Tensor, error) { return nil, errUnsupported }

// Close does nothing without cgo.
func (g *Generator) Close() {}
