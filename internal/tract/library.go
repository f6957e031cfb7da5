//go:build cgo && (linux || darwin)

package tract

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

// Library is an opened tract. It stays open for as long as the process lives: its threads leave
// destructors behind.
type Library struct {
	path    string
	version string
	table   *C.mptract
}

// opened holds every library by the path that it was opened with.
var opened = struct {
	sync.Mutex
	byPath map[string]*Library
}{byPath: map[string]*Library{}}

// Supported says that this binary can open shared libraries; one that was built without cgo cannot.
func Supported() error { return nil }

// Open opens the library of that path, or of that name as the system's loader finds it. A file that
// is not tract, or one of a tract that lacks an entry, is an error.
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
	table := (*C.mptract)(C.calloc(1, C.sizeof_mptract))
	if missing := C.mptract_find(handle, table); missing != nil {
		C.free(unsafe.Pointer(table))
		C.dlclose(handle)
		return nil, fmt.Errorf("%s is not a usable tract: it has no %s", path, C.GoString(missing))
	}
	l := &Library{path: path, version: C.GoString(C.mptract_version(table)), table: table}
	opened.byPath[path] = l
	return l, nil
}

// Path returns the path or name that the library was opened with.
func (l *Library) Path() string { return l.path }

// Version is the library's own ("0.23.9").
func (l *Library) Version() string { return l.version }

// check turns the message of a failed call into an [*Error], and frees it.
func check(step Step, said *C.char) error {
	if said == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(said))
	return &Error{step, oneLine(C.GoString(said))}
}
