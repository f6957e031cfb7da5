//go:build cgo && (linux || darwin)

package openvino

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/modelparity/modelparity/internal/inuse"
)

// Compiled is a compiled model on a device. It is safe for concurrent use.
type Compiled struct {
	l      *Library
	handle *C.ov_compiled_model_t
	users  inuse.Guard // of the handle
}

// Compile compiles the model for a device; "" lets OpenVINO choose. settings maps names of
// properties to values, in OpenVINO's spelling: INFERENCE_PRECISION_HINT, f32.
func (m *Model) Compile(device string, settings map[string]string) (*Compiled, error) {
	if m.handle == nil {
		return nil, ErrClosed
	}
	scratch := texts{}
	defer scratch.free()
	properties := room[C.ov_property_t](len(settings) + 1)
	defer C.free(unsafe.Pointer(&properties[0]))
	for i, key := range slices.Sorted(maps.Keys(settings)) {
		properties[i].key = scratch.of(key)
		properties[i].value = unsafe.Pointer(scratch.of(settings[key]))
	}
	var name *C.char
	if device != "" {
		name = scratch.of(device)
	}
	c := &Compiled{l: m.l}
	if err := m.l.check(C.mo_compile(&m.l.c, m.l.core, m.handle, name,
		C.size_t(len(settings)), &properties[0], &c.handle)); err != nil {
		return nil, err
	}
	c.users.Free = func() error {
		C.mo_free_compiled(&c.l.c, c.handle)
		return nil
	}
	return c, nil
}

// Close makes further runs fail. It does not wait for runs in progress; the model is freed when the
// last of them ends. Closing twice is harmless.
func (c *Compiled) Close() { _ = c.users.Close() } // freeing cannot fail

// Property returns a property of the compiled model as text, such as INFERENCE_PRECISION_HINT.
func (c *Compiled) Property(key string) (string, error) {
	if !c.users.Enter() {
		return "", ErrClosed
	}
	defer c.users.Leave()
	scratch := texts{}
	defer scratch.free()
	var value *C.char
	err := c.l.check(C.mo_compiled_property(&c.l.c, c.handle, scratch.of(key), &value))
	if err != nil {
		return "", err
	}
	return c.l.text(value), nil
}

// Kernels returns the kernels of the compiled model's nodes.
func (c *Compiled) Kernels() ([]Kernel, error) {
	if !c.users.Enter() {
		return nil, ErrClosed
	}
	defer c.users.Leave()
	var request *C.ov_infer_request_t
	if err := c.l.check(C.mo_request(&c.l.c, c.handle, &request)); err != nil {
		return nil, err
	}
	defer C.mo_free_request(&c.l.c, request)
	var list C.ov_profiling_info_list_t
	if err := c.l.check(C.mo_kernels(&c.l.c, request, &list)); err != nil {
		return nil, err
	}
	defer C.mo_free_kernels(&c.l.c, &list)
	var kernels []Kernel
	for _, info := range unsafe.Slice(list.profiling_infos, int(list.size)) {
		kernels = append(kernels, Kernel{C.GoString(info.node_type), C.GoString(info.exec_type)})
	}
	return kernels, nil
}
