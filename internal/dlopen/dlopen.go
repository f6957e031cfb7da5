//go:build cgo && (linux || darwin)

// Package dlopen opens shared libraries at run time, so that programs can be built without them. It
// opens each library only once.
package dlopen

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// Supported returns nil, because this binary can open shared libraries. In a binary built without
// cgo, it returns an error.
func Supported() error { return nil }

// Libraries contains the open libraries of one kind, by path. Libraries are never closed, because
// they register destructors, and their threads may run until the process ends.
type Libraries[L any] struct {
	mu     sync.Mutex
	byPath map[string]*L
}

// Open returns a library, which it opens if it is not open yet. path may also be a name that the
// system's loader can find. Open calls bind to look up the library's functions, and closes the
// library again if bind fails.
func (l *Libraries[L]) Open(path string, bind func(handle unsafe.Pointer) (*L, error)) (*L, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if opened, ok := l.byPath[path]; ok {
		return opened, nil
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("%s cannot be opened: %s", path, strings.TrimSpace(
			C.GoString(C.dlerror())))
	}
	opened, err := bind(handle)
	if err != nil {
		C.dlclose(handle)
		return nil, err
	}
	if l.byPath == nil {
		l.byPath = map[string]*L{}
	}
	l.byPath[path] = opened
	return opened, nil
}
