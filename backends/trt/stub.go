//go:build !linux || !cgo

package trt

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// Engine is what TensorRT builds, on Linux.
type Engine struct{}

var errMissing = &backends.Missing{Backend: "trt",
	Reason: "this program was built without it: TensorRT is called on Linux, with cgo, alone",
	Remedy: "build on Linux with CGO_ENABLED=1 and a C compiler"}

// Require skips the spec of t, or fails it where TensorRT is required.
func Require(t backends.T, _ ...Option) {
	t.Helper()
	backends.SkipMissing(t, errMissing)
}

// Available says that TensorRT is missing.
func Available(...Option) error { return errMissing }

// New says that TensorRT is missing, as every function here does.
func New(context.Context, *loaders.Model, ...Option) (*Engine, error) { return nil, errMissing }

// Run says that TensorRT is missing.
func Run(context.Context, *loaders.Model, fixtures.Inputs, ...Option) (*backends.Run, error) {
	return nil, errMissing
}

// Load says that TensorRT is missing.
func Load(string, ...Option) (*Engine, error) { return nil, errMissing }

// Run, Information, Save, Refit and Close are the methods of an engine, which nobody can have here.
func (*Engine) Run(context.Context, fixtures.Inputs) (*backends.Run, error) {
	return nil, errMissing
}

// RunWithTensors says that TensorRT is missing.
func (*Engine) RunWithTensors(context.Context, fixtures.Inputs, []string) (*backends.Run, error) {
	return nil, errMissing
}

// Information says that TensorRT is missing.
func (*Engine) Information() (Information, error) { return Information{}, errMissing }

// Name is that of no model.
func (*Engine) Name() string { return "" }

// Inputs says that TensorRT is missing.
func (*Engine) Inputs() ([]loaders.Value, error) { return nil, errMissing }

// Save says that TensorRT is missing.
func (*Engine) Save(string) error { return errMissing }

// Refit says that TensorRT is missing.
func (*Engine) Refit(*loaders.Model) error { return errMissing }

// Close has nothing to free.
func (*Engine) Close() error { return nil }
