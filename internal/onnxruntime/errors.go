package onnxruntime

import "errors"

// Code is the C API's error code (enum OrtErrorCode).
type Code int

// The codes that a caller tells apart.
const (
	Fail            Code = 1
	InvalidArgument Code = 2
	NoSuchFile      Code = 3
	InvalidProtobuf Code = 7
	NotImplemented  Code = 9
	InvalidGraph    Code = 10
)

// Error is what the library answered.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrClosed is returned by a session that was closed.
var ErrClosed = errors.New("the session is closed")
