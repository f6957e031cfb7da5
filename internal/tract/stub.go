//go:build !cgo || !(linux || darwin)

package tract

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

var errUnsupported = dlopen.Supported()

// Library is an opened tract. A build without cgo cannot open any.
type Library struct{ Path, Version string }

// Open always fails without cgo.
func Open(string) (*Library, error) { return nil, errUnsupported }

// Prepare always fails without cgo.
func (l *Library) Prepare(Source, []Fact, bool) (*Runnable, error) { return nil, errUnsupported }

// Runnable is a prepared model. A build without cgo cannot prepare any.
type Runnable struct{}

// Run always fails without cgo.
func (r *Runnable) Run(context.Context, []*tensor.Tensor, []tensor.ElementType) ([]*tensor.Tensor,
	error) {
	return nil, errUnsupported
}

// Close does nothing.
func (r *Runnable) Close() {}
