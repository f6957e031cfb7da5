//go:build !cgo || !(linux || darwin)

package onnxruntime

import (
	"context"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

var errUnsupported = dlopen.Supported()

// Session is a loaded model. A build without cgo cannot load any.
type Session struct{}

// Running always reports that no library is in use.
func Running() (path, version string, ok bool) { return "", "", false }

// Start always fails without cgo.
func Start(string) error { return errUnsupported }

// NewSession always fails without cgo.
func NewSession([]byte, Options) (*Session, error) { return nil, errUnsupported }

// NewSessionFromFile always fails without cgo.
func NewSessionFromFile(string, Options) (*Session, error) { return nil, errUnsupported }

// Close does nothing.
func (s *Session) Close() error { return nil }

// Assignment always fails without cgo.
func (s *Session) Assignment() ([]Part, error) { return nil, errUnsupported }

// Accepts always fails without cgo.
func Accepts(...Provider) error { return errUnsupported }

// Plug always fails without cgo.
func Plug(string) (Device, bool, error) { return Device{}, false, errUnsupported }

// Loop is a series of inferences. A build without cgo cannot run any.
type Loop struct{}

// Loop returns a loop that cannot run anything, because this build has no cgo.
func (s *Session) Loop() *Loop { return &Loop{} }

// Step always fails without cgo.
func (l *Loop) Step(context.Context, []Named, []string, map[string]string) ([]Value, error) {
	return nil, errUnsupported
}

// Kept always fails without cgo.
func (l *Loop) Kept(string) (tensor.ElementType, tensor.Shape, error) {
	return tensor.Invalid, nil, errUnsupported
}

// Read always fails without cgo.
func (l *Loop) Read(string) (*tensor.Tensor, error) { return nil, errUnsupported }

// Close does nothing.
func (l *Loop) Close() {}
