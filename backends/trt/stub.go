//go:build !linux || !cgo

package trt

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// Backend is a model in TensorRT. It exists only on Linux.
type Backend struct{}

var errMissing = &backends.Missing{Backend: "trt",
	Reason: "this program was built without TensorRT, which needs Linux and cgo",
	Remedy: "build on Linux with CGO_ENABLED=1 and a C compiler"}

// Require skips the spec of t because TensorRT is missing. If MODELPARITY_REQUIRE lists TensorRT,
// Require fails the spec instead.
func Require(t backends.T, _ ...Option) {
	t.Helper()
	backends.SkipMissing(t, errMissing)
}

// Available returns the error that says that TensorRT is missing.
func Available(...Option) error { return errMissing }

// New returns the error that says that TensorRT is missing.
func New(context.Context, *loaders.Model, fixtures.Inputs, ...Option) (*Backend, error) {
	return nil, errMissing
}

// Load returns the error that says that TensorRT is missing.
func Load(string, ...Option) (*Backend, error) { return nil, errMissing }

func build(context.Context, order) (*Backend, error) { return nil, errMissing }

func load(context.Context, string, *settings, backends.Subject) (*Backend, error) {
	return nil, errMissing
}

// Run returns the error that says that TensorRT is missing. No value of type Backend is ever
// created in this binary.
func (*Backend) Run(context.Context, fixtures.Inputs) (*backends.Run, error) {
	return nil, errMissing
}

// RunWithTensors returns the error that says that TensorRT is missing.
func (*Backend) RunWithTensors(context.Context, fixtures.Inputs, []string) (*backends.Run, error) {
	return nil, errMissing
}

// Information returns the error that says that TensorRT is missing.
func (*Backend) Information() (Information, error) { return Information{}, errMissing }

// Name returns "".
func (*Backend) Name() string { return "" }

// Inputs returns the error that says that TensorRT is missing.
func (*Backend) Inputs() ([]loaders.Value, error) { return nil, errMissing }

// Save returns the error that says that TensorRT is missing.
func (*Backend) Save(string) error { return errMissing }

// Refit returns the error that says that TensorRT is missing.
func (*Backend) Refit(*loaders.Model) error { return errMissing }

func (*Backend) giveWeights(*loaders.Model) error { return errMissing }

func (*Backend) fits(*loaders.Model) error { return errMissing }

// Close does nothing.
func (*Backend) Close() error { return nil }

// Supports returns the error that says that TensorRT is missing.
func Supports(context.Context, *loaders.Model, ...Option) (*Support, error) {
	return nil, errMissing
}

// Partition returns the error that says that TensorRT is missing.
func Partition(context.Context, *loaders.Model, ...Option) (*Support, error) {
	return nil, errMissing
}

func networkLayers(context.Context, *loaders.Model, *settings) ([]networkLayer, error) {
	return nil, errMissing
}
