package onnxruntime

import "errors"

// Error is what the library answered. It has codes too, but most answers are a plain "FAIL", and
// the binding drops them.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// ErrClosed is returned by a session that was closed.
var ErrClosed = errors.New("the session is closed")
