//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import (
	"runtime/cgo"
	"sync"
)

// logHandle is the handle through which the library writes to a [Log] while a session exists.
type logHandle struct {
	handle cgo.Handle
	lock   sync.Mutex // the library writes from several threads
	write  func(Line)
}

// newLog creates a handle for a log. It returns nil if log is nil.
func newLog(log *Log) *logHandle {
	if log == nil {
		return nil
	}
	h := &logHandle{write: log.Write}
	h.handle = cgo.NewHandle(h)
	return h
}

// close frees the handle. Call close only when the library no longer uses the handle.
func (h *logHandle) close() {
	if h != nil {
		h.handle.Delete()
	}
}

// number returns the handle as a number, which the library stores.
func (h *logHandle) number() C.uintptr_t { return C.uintptr_t(h.handle) }

//export ortLogged
func ortLogged(log C.uintptr_t, severity C.int, message *C.char) {
	h := cgo.Handle(log).Value().(*logHandle)
	h.lock.Lock()
	defer h.lock.Unlock()
	h.write(Line{Severity(severity), C.GoString(message)})
}
