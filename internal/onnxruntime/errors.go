package onnxruntime

import "errors"

// Error is an error message of the library. It has no error code, because the binding drops the
// library's codes, most of which are a plain "FAIL".
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// CustomOpsError is ONNX Runtime's error about a library of custom operators.
type CustomOpsError struct {
	Path string
	Err  error
}

func (e *CustomOpsError) Error() string {
	return "custom operators of " + e.Path + ": " + e.Err.Error()
}

func (e *CustomOpsError) Unwrap() error { return e.Err }

// ErrClosed is the error that methods of a closed session return.
var ErrClosed = errors.New("the session is closed")
