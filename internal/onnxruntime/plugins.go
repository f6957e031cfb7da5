//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// plugged maps the path of each plug-in library to the first device that the library offers.
// Libraries stay registered until the process ends, like the environment. The lock of [environment]
// protects the map.
var plugged = map[string]plug{}

type plug struct {
	device              Device
	environment, handle unsafe.Pointer
}

// running is locked while a session with a plug-in is created, run or closed, because plug-ins may
// share state between sessions: version 0.4.0 of the WebGPU plug-in crashes if two sessions run
// concurrently.
var running sync.Mutex

// alone waits until no other session with a plug-in is being created, run or closed, and keeps
// others waiting until release is called. It does nothing if o has no plug-in.
func (o Options) alone() (release func()) {
	if !slices.ContainsFunc(o.Providers, func(p Provider) bool { return p.Plugin != "" }) {
		return func() {}
	}
	running.Lock()
	return running.Unlock
}

// Plug registers the plug-in library at path, unless this process has already registered it, and
// returns the first device that it offers. ok is false if it offers none. Call [Start] first.
func Plug(path string) (device Device, ok bool, err error) {
	table, err := started()
	if err != nil {
		return Device{}, false, err
	}
	environment.Lock()
	defer environment.Unlock()
	p, ok := plugged[path]
	if !ok {
		if p, err = table.plug(path); err != nil {
			return Device{}, false, err
		}
		plugged[path] = p
	}
	return p.device, p.handle != nil, nil
}

// plug registers a library. The library's devices are those that ONNX Runtime did not list before.
func (a *api) plug(path string) (p plug, err error) {
	if err := a.check(C.mp_environment(a.table, &p.environment)); err != nil {
		return p, err
	}
	before, err := a.devices(p.environment)
	if err != nil {
		return p, err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if err := a.check(C.mp_register(a.table, p.environment, name)); err != nil {
		return p, err
	}
	all, err := a.devices(p.environment)
	if err != nil {
		return p, err
	}
	added := slices.DeleteFunc(all, func(d unsafe.Pointer) bool { return slices.Contains(before, d) })
	if len(added) == 0 {
		return p, nil
	}
	p.handle = added[0]
	var provider, version, vendor *C.char
	var kind C.int
	C.mp_device(a.table, p.handle, &provider, &version, &vendor, &kind)
	p.device = Device{Provider: C.GoString(provider), Version: C.GoString(version),
		Vendor: C.GoString(vendor), Kind: "device"}
	if kinds := []string{"CPU", "GPU", "NPU"}; kind >= 0 && int(kind) < len(kinds) {
		p.device.Kind = kinds[kind]
	}
	return p, nil
}

// devices returns a copy of the list of all devices.
func (a *api) devices(environment unsafe.Pointer) ([]unsafe.Pointer, error) {
	var list *unsafe.Pointer
	var count C.size_t
	err := a.check(C.mp_devices(a.table, environment, &list, &count))
	return slices.Clone(unsafe.Slice(list, int(count))), err
}

// appendPlugin adds the provider of a registered plug-in library to the session options.
func appendPlugin(a *api, options *binding.SessionOptions, p Provider) error {
	environment.Lock()
	device := plugged[p.Plugin]
	environment.Unlock()
	handle, err := pointer(reflect.ValueOf(options), "o")
	if err != nil {
		return err
	}
	texts := &call{api: a}
	defer texts.free()
	var keys, values []*C.char
	for _, key := range slices.Sorted(maps.Keys(p.Options)) {
		keys, values = append(keys, texts.text(key)), append(values, texts.text(p.Options[key]))
	}
	return a.check(C.mp_append(a.table, handle, device.environment, device.handle, first(keys),
		first(values), C.size_t(len(keys))))
}
