//go:build cgo && (linux || darwin)

package genai

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
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

// Library is an opened library. It is never closed: threads of its own may run in it.
type Library struct {
	path  string
	table *C.mpgenai
}

// opened are the libraries by their paths.
var opened = struct {
	sync.Mutex
	byPath map[string]*Library
}{byPath: map[string]*Library{}}

// Supported says that this binary can open shared libraries; one that was built without cgo cannot.
func Supported() error { return nil }

// Open opens the library at path, once.
func Open(path string) (*Library, error) {
	opened.Lock()
	defer opened.Unlock()
	if l, ok := opened.byPath[path]; ok {
		return l, nil
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("%s cannot be opened: %s", path, strings.TrimSpace(
			C.GoString(C.dlerror())))
	}
	table := (*C.mpgenai)(C.calloc(1, C.sizeof_mpgenai))
	if missing := C.mpgenai_find(handle, table); missing != nil {
		C.free(unsafe.Pointer(table))
		C.dlclose(handle)
		return nil, fmt.Errorf("%s is not a usable ONNX Runtime GenAI: it has no %s", path,
			C.GoString(missing))
	}
	l := &Library{path: path, table: table}
	opened.byPath[path] = l
	return l, nil
}

// Path is where the library was opened.
func (l *Library) Path() string { return l.path }

// check turns a result into an [*Error], and frees it.
func (l *Library) check(result unsafe.Pointer) error {
	said := C.mpgenai_said(l.table, result)
	if said == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(said))
	return &Error{strings.Join(strings.Fields(C.GoString(said)), " ")}
}
