package openvino

import (
	"errors"
	"fmt"
)

// Error is an error of the library.
type Error struct {
	Status  int    // enum ov_status_e
	Message string // the library's text, possibly several lines; "" if none
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("OpenVINO's status %d", e.Status)
	}
	return e.Message
}

// ErrClosed is the error that methods of a closed model return.
var ErrClosed = errors.New("the model is closed")

// errStrings is the error for tensors of strings, which this package rejects. OpenVINO 2026.4.1
// frees a string tensor of its CPU plugin twice, which aborts the process, and its C API cannot
// read string tensors.
var errStrings = errors.New("string tensors are not supported: OpenVINO's CPU plugin aborts the " +
	"process when it frees one")
