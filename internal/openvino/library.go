//go:build cgo && (linux || darwin)

package openvino

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// Library is an opened OpenVINO with its core, the object that knows the devices. A process has
// only one Library and never closes it, because OpenVINO's worker threads run until the process
// ends.
type Library struct {
	Path    string
	Version string // "2026.4.1"

	c    C.mo_api
	core *C.ov_core_t
}

// process contains the library that this process uses, if any.
var process struct {
	sync.Mutex
	library *Library
}

// Running returns the library that this process uses, or nil.
func Running() *Library {
	process.Lock()
	defer process.Unlock()
	return process.library
}

// Start opens and initialises the library at path, or the library that the system's loader finds by
// that name. Only the first successful call has an effect; later calls return the same library,
// even with a different path.
func Start(path string) (*Library, error) {
	process.Lock()
	defer process.Unlock()
	if process.library != nil {
		return process.library, nil
	}
	l, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := l.check(C.mo_core(&l.c, &l.core)); err != nil {
		C.mo_close(&l.c)
		return nil, fmt.Errorf("%s does not start: %w", path, err)
	}
	process.library = l
	return l, nil
}

func open(path string) (*Library, error) {
	l := &Library{Path: path}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var missing *C.char
	if text := C.mo_open(&l.c, name, &missing); text != nil {
		defer C.free(unsafe.Pointer(text))
		return nil, fmt.Errorf("%s cannot be opened: %s", path, strings.TrimSpace(C.GoString(text)))
	}
	if missing != nil {
		return nil, fmt.Errorf("%s is not the C library of OpenVINO, or is too old: it has no %s",
			path, C.GoString(missing))
	}
	var build *C.char
	if err := l.check(C.mo_version(&l.c, &build)); err != nil {
		C.mo_close(&l.c)
		return nil, err
	}
	// The build number looks like 2026.4.1-22982-e213a147257-releases/2026/4.
	l.Version, _, _ = strings.Cut(l.text(build), "-")
	return l, nil
}

// check returns an [*Error] if status is an error.
func (l *Library) check(status C.ov_status_e) error {
	if status == 0 {
		return nil
	}
	err := &Error{Status: int(status)}
	if message := C.mo_message(&l.c, status); message != nil {
		err.Message = strings.TrimSpace(l.text(message))
	}
	return err
}

// text copies a string of the library to Go and frees the original.
func (l *Library) text(s *C.char) string {
	if s == nil {
		return ""
	}
	defer C.mo_free_text(&l.c, s)
	return C.GoString(s)
}

// texts is a list of C strings that are freed together.
type texts []*C.char

func (t *texts) of(s string) *C.char {
	text := C.CString(s)
	*t = append(*t, text)
	return text
}

func (t *texts) free() {
	for _, text := range *t {
		C.free(unsafe.Pointer(text))
	}
}
