//go:build !linux || !cgo

package trt

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// backend is a model in TensorRT. No value of this type is ever created in this binary.
type backend struct{ backends.Backend }

var errMissing = &backends.Missing{Backend: "trt",
	Reason: "this program was built without TensorRT, which needs Linux and cgo",
	Remedy: "build on Linux with CGO_ENABLED=1 and a C compiler"}

// Available always returns an error, because this program was built without TensorRT.
func Available(...Option) error { return errMissing }

// Describe always returns the error of [Available].
func Describe(string, ...Option) (Information, error) { return Information{}, errMissing }

// Supports always returns the error of [Available].
func Supports(context.Context, *loaders.Model, ...Option) (*Support, error) {
	return nil, errMissing
}

// Partition always returns the error of [Available].
func Partition(context.Context, *loaders.Model, ...Option) (*Support, error) {
	return nil, errMissing
}

func build(context.Context, order) (*backend, error) { return nil, errMissing }

func load(string, *settings, backends.Subject, *loaders.Model) (*backend, error) {
	return nil, errMissing
}

func (*backend) inputs() []loaders.Value { return nil }

func runWithTensors(context.Context, backends.Backend, fixtures.Inputs, []string) (*backends.Run,
	error) {
	return nil, errMissing
}

func networkLayers(context.Context, *loaders.Model, *settings) ([]networkLayer, error) {
	return nil, errMissing
}
