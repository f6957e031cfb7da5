//go:build !cgo || !(linux || darwin)

package tract

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
)

var errUnsupported = dlopen.Supported()

// Library is an opened tract, which this binary does not support.
type Library struct{}

// Open always fails in this binary.
func Open(string) (*Library, error) { return nil, errUnsupported }

// Path is empty in this binary.
func (l *Library) Path() string { return "" }

// Version is empty in this binary.
func (l *Library) Version() string { return "" }

// Prepare always fails in this binary.
func (l *Library) Prepare(Source, []Fact, Options) (*Runnable, error) { return nil, errUnsupported }

// InputNames always fails in this binary.
func (l *Library) InputNames(Source) ([]string, error) { return nil, errUnsupported }

// Runnable is a prepared model, which this binary does not support.
type Runnable struct{}

// Run always fails in this binary.
func (r *Runnable) Run(context.Context, []Value, []DatumType) ([]Value, error) {
	return nil, errUnsupported
}

// Close does nothing.
func (r *Runnable) Close() {}
