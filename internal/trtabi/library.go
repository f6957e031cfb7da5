//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// Library is an opened TensorRT library. It is never closed, because TensorRT's threads and
// registered plugins keep using it.
type Library struct {
	Log Log

	c      *C.trt_library
	logger *Callback
}

// Open opens TensorRT's core library (libnvinfer.so.10 or libnvinfer.so.11) by its path, or by a
// name that the system's loader finds. It rejects versions whose methods may be in a different
// order.
func Open(path string) (*Library, error) {
	l := &Library{c: (*C.trt_library)(C.calloc(1, C.sizeof_trt_library))}
	if err := l.open(path, func(name *C.char) *C.char { return C.trt_open(name, l.c) }); err != nil {
		return nil, err
	}
	if err := supported(l.Version()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l.once(), nil
}

// loaded contains every opened library, by the address of one of the library's functions.
var loaded struct {
	sync.Mutex
	libraries map[uintptr]*Library
}

// once returns the existing Library if the same library was already opened by another path, and
// otherwise l. Each library must have exactly one Library, because TensorRT keeps the first logger
// that it is passed.
func (l *Library) once() *Library {
	loaded.Lock()
	defer loaded.Unlock()
	at := uintptr(unsafe.Pointer(l.c.create_runtime))
	if first, ok := loaded.libraries[at]; ok {
		C.free(unsafe.Pointer(l.c))
		return first
	}
	if loaded.libraries == nil {
		loaded.libraries = map[uintptr]*Library{}
	}
	l.logger = l.newCallback(C.TRT_LOGGER, &l.Log)
	loaded.libraries[at] = l
	return l
}

func (l *Library) open(path string, open func(*C.char) *C.char) error {
	if wrong := named(path, open); wrong != nil {
		defer C.free(unsafe.Pointer(wrong))
		return errors.New(C.GoString(wrong))
	}
	return nil
}

// OpenParser opens the library of the ONNX parser, which must have the same version.
func (l *Library) OpenParser(path string) error {
	return l.open(path, func(name *C.char) *C.char { return C.trt_open_parser(name, l.c) })
}

// OpenPlugins opens the library of NVIDIA's own plugins and registers them.
func (l *Library) OpenPlugins(path string) error {
	err := l.open(path, func(name *C.char) *C.char { return C.trt_open_plugins(name, l.c) })
	if err == nil && !bool(C.trt_init_plugins(l.c, l.logger.pointer())) {
		err = fmt.Errorf("%s: registering the plugins failed", path)
	}
	return err
}

// SetLibraryPath sets the folder in which TensorRT finds the resources of its builder. It needs
// 10.16 or later; with earlier versions, the system's loader must find the resources.
func (l *Library) SetLibraryPath(directory string) {
	if l.c.set_library_path == nil {
		return
	}
	named(directory, func(name *C.char) C.bool { return C.trt_set_library_path(l.c, name) })
}

// Version returns the library's version.
func (l *Library) Version() Version {
	return Version{int(l.c.major), int(l.c.minor), int(l.c.patch), int(l.c.build)}
}

// slot returns the position of a method whose position varies between versions (VARIES in
// methods.h).
func (l *Library) slot(row C.int) (C.trt_slot, error) {
	m := methods()[row]
	slot, err := l.Number(m.class[1:]+"."+m.name, Enumerator{m.slot10, m.slot11, m.since})
	return C.trt_slot{number: C.int32_t(slot)}, err
}

// Number returns an enumerator's number in the opened version. If the version lacks the enumerator,
// the error is an [Absent] with the given description.
func (l *Library) Number(what string, e Enumerator) (int, error) {
	number, absent := e.V10, int(l.c.minor) < e.Since
	if l.c.major == 11 {
		number, absent = e.V11, e.V11 == Gone
	}
	if absent {
		return 0, &Absent{What: what, Version: l.Version(), Since: e.Since, Removed: l.c.major == 11}
	}
	return number, nil
}

// varying calls f with the position of a method that varies between versions. It returns an error
// if the opened version lacks the method.
func (l *Library) varying(row C.int, f func(C.trt_slot)) error {
	slot, err := l.slot(row)
	if err == nil {
		f(slot)
	}
	return err
}

// object is a pointer to a TensorRT object. Its owner must delete it.
type object struct {
	l *Library
	p unsafe.Pointer
}

// nothing is the lowest address that an object can have. TensorRT returns small numbers instead of
// null when it casts a null pointer to a base class.
const nothing = 4096

// wrap returns the object at a pointer that TensorRT returned, or an error if the pointer is null.
func (l *Library) wrap(p unsafe.Pointer, what string) (object, error) {
	if uintptr(p) < nothing {
		return object{}, fmt.Errorf("TensorRT %v returned no %s", l.Version(), what)
	}
	return object{l, p}, nil
}

// Exists reports whether the object was created.
func (o object) Exists() bool { return o.p != nil }

func (o object) major() C.int { return C.int(o.l.c.major) }

// Delete destroys the object if it exists. Deleting twice is harmless.
func (o *object) Delete() {
	if o.p != nil {
		C.trt_delete(o.p)
	}
	o.p = nil
}

// dims converts a shape to C. It may have at most eight dimensions.
func dims(shape []int) (C.trt_dims, error) {
	var d C.trt_dims
	if len(shape) > len(d.d) {
		return d, fmt.Errorf("shape %v has %d dimensions; TensorRT supports at most %d",
			shape, len(shape), len(d.d))
	}
	d.nb = C.int32_t(len(shape))
	for i, n := range shape {
		d.d[i] = C.int64_t(n)
	}
	return d, nil
}

// goDims converts a shape from C. A dimension is -1 if it is unknown; the result is nil if the rank
// is unknown.
func goDims(d C.trt_dims) []int {
	if d.nb < 0 || int(d.nb) > len(d.d) {
		return nil
	}
	shape := make([]int, d.nb)
	for i := range shape {
		shape[i] = int(d.d[i])
	}
	return shape
}

// goStrings converts n C strings.
func goStrings(list **C.char, n int) []string {
	if list == nil || n <= 0 {
		return nil
	}
	texts := make([]string, n)
	for i, text := range unsafe.Slice(list, n) {
		texts[i] = C.GoString(text)
	}
	return texts
}

// named runs f with a C copy of name.
func named[T any](name string, f func(*C.char) T) T {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return f(c)
}
