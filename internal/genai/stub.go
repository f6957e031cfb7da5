//go:build !cgo || !(linux || darwin)

package genai

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
)

var errUnsupported = dlopen.Supported()

// Library is an opened library. This binary cannot open any.
type Library struct{}

// Open always fails in this binary.
func Open(string) (*Library, error) { return nil, errUnsupported }

// Path returns "" in this binary.
func (l *Library) Path() string { return "" }

// Load always fails in this binary.
func (l *Library) Load(Source) (*Model, error) { return nil, errUnsupported }

// Model is a network with its configuration.
type Model struct{}

// Close does nothing in this binary.
func (m *Model) Close() {}

// Generator always fails in this binary.
func (m *Model) Generator() (*Generator, error) { return nil, errUnsupported }

// Generator is one sequence with its cache.
type Generator struct{}

// Append always fails in this binary.
func (g *Generator) Append(context.Context, []int32) error { return errUnsupported }

// Rewind always fails in this binary.
func (g *Generator) Rewind(int) error { return errUnsupported }

// Output always fails in this binary.
func (g *Generator) Output(string) (Value, error) { return Value{}, errUnsupported }

// Close does nothing in this binary.
func (g *Generator) Close() {}
