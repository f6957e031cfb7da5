//go:build !cgo || !(linux || darwin)

package tract

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
)

var errUnsupported = dlopen.Supported()

// Library is an opened tract. This binary cannot open any.
type Library struct{}

// Open always fails in this binary.
func Open(string) (*Library, error) { return nil, errUnsupported }

// Path returns "" in this binary.
func (l *Library) Path() string { return "" }

// Version returns "" in this binary.
func (l *Library) Version() string { return "" }

// Prepare always fails in this binary.
func (l *Library) Prepare(Source, []Fact, Options) (*Runnable, error) { return nil, errUnsupported }

// InputNames always fails in this binary.
func (l *Library) InputNames(Source) ([]string, error) { return nil, errUnsupported }

// Runnable is a prepared model. This binary cannot prepare any.
type Runnable struct{}

// Run always fails in this binary.
func (r *Runnable) Run(context.Context, []Value, []DatumType) ([]Value, error) {
	return nil, errUnsupported
}

// Close does nothing.
func (r *Runnable) Close() {}
