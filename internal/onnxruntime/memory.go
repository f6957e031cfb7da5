//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import "errors"

// Memory returns the number of bytes of ordinary memory that the session's allocator holds: the
// memory of the weights, and of the run that has needed the most so far.
func (s *Session) Memory() (int64, error) {
	s.running.RLock()
	defer s.running.RUnlock()
	if s.handle == nil {
		return 0, ErrClosed
	}
	var bytes C.int64_t
	if err := s.api.check(C.mp_allocated(s.api.table, s.handle, s.api.memory, &bytes)); err != nil {
		return 0, err
	}
	if bytes < 0 {
		return 0, errors.New("this ONNX Runtime does not report the memory of a session")
	}
	return int64(bytes), nil
}
