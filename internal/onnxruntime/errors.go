package onnxruntime

import "errors"

// Error is what the library answered. It has codes too, but most answers are a plain "FAIL", and
// the binding drops them.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// CustomOpsError is what the library answered to a library of custom operators.
type CustomOpsError struct {
	Path string
	Err  error
}

func (e *CustomOpsError) Error() string {
	return "custom operators of " + e.Path + ": " + e.Err.Error()
}

func (e *CustomOpsError) Unwrap() error { return e.Err }

// ErrClosed is returned by a session that was closed.
var ErrClosed = errors.New("the session is closed")
