//go:build cgo && (linux || darwin)

package onnxruntime

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
	"unsafe"
)

// library is an opened ONNX Runtime. The library in use is never closed, because the binding and
// its sessions call it until the process ends.
type library struct {
	version string
	handle  unsafe.Pointer
	base    unsafe.Pointer
}

// open opens a library. With C.RTLD_NOLOAD in flags, open succeeds only if this process has already
// opened the library.
func open(path string, flags C.int) (library, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_LAZY|flags)
	if handle == nil {
		return library{}, fmt.Errorf("%s cannot be opened: %s", path, loaderError())
	}
	base := C.mp_base(handle)
	if base == nil {
		C.dlclose(handle)
		return library{}, fmt.Errorf("%s is not ONNX Runtime: it has no OrtGetApiBase", path)
	}
	return library{version: C.GoString(C.mp_version(base)), handle: handle, base: base}, nil
}

// loaderError returns the last error of the system's loader.
func loaderError() string {
	text := C.dlerror()
	if text == nil {
		return "not loaded"
	}
	return strings.TrimSpace(C.GoString(text))
}

// api is ONNX Runtime's function table, together with the allocator and the memory description that
// are needed to create any value.
type api struct {
	table     C.mp_api
	allocator unsafe.Pointer // the library's default allocator, which the library owns
	memory    unsafe.Pointer // OrtMemoryInfo of ordinary memory
}

func newAPI(lib library) (*api, error) {
	a := &api{table: C.mp_table(lib.base, NeededMinor)}
	if a.table == nil {
		return nil, fmt.Errorf("ONNX Runtime %s has no C API version %d", lib.version, NeededMinor)
	}
	if err := a.check(C.mp_allocator(a.table, &a.allocator)); err != nil {
		return nil, err
	}
	return a, a.check(C.mp_cpu_memory(a.table, &a.memory))
}

// check converts a status to an [*Error] and frees it.
func (a *api) check(status C.mp_status) error {
	if status == nil {
		return nil
	}
	defer C.mp_release_status(a.table, status)
	return &Error{strings.TrimSpace(C.GoString(C.mp_error_message(a.table, status)))}
}

// providers lists the execution providers that the library was built with.
func (a *api) providers() ([]string, error) {
	var names **C.char
	var count C.int
	if err := a.check(C.mp_providers(a.table, &names, &count)); err != nil {
		return nil, err
	}
	defer C.mp_release_providers(a.table, names, count)
	var list []string
	for _, name := range unsafe.Slice(names, int(count)) {
		list = append(list, C.GoString(name))
	}
	return list, nil
}
