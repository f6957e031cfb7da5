//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Builder builds engines from networks (IBuilder). Creating one takes seconds, because it loads
// TensorRT's kernels.
type Builder struct{ object }

// NewBuilder creates a builder on the current CUDA device.
func (l *Library) NewBuilder() (Builder, error) {
	o, err := l.wrap(C.trt_create_builder(l.c, l.logger.pointer()), "builder")
	return Builder{o}, err
}

// Network creates an empty network; flags are bits from [NetworkFlags].
func (b Builder) Network(flags uint32) (Network, error) {
	p := C.VBuilder_createNetworkV2(b.major(), b.p, C.uint32_t(flags))
	o, err := b.l.wrap(p, "network")
	return Network{o}, err
}

// Config creates the default configuration.
func (b Builder) Config() (Config, error) {
	o, err := b.l.wrap(C.VBuilder_createBuilderConfig(b.major(), b.p), "builder configuration")
	return Config{o}, err
}

// Profile creates an empty optimization profile. The builder owns it.
func (b Builder) Profile() (Profile, error) {
	p := C.VBuilder_createOptimizationProfile(b.major(), b.p)
	o, err := b.l.wrap(p, "optimization profile")
	return Profile{o}, err
}

// DLACores returns the number of deep learning accelerators.
func (b Builder) DLACores() int { return int(C.VBuilder_getNbDLACores(b.major(), b.p)) }

// Build builds a serialized engine. If the build fails, the reason is in TensorRT's log.
func (b Builder) Build(n Network, c Config) (HostMemory, error) {
	p := C.VBuilder_buildSerializedNetwork(b.major(), b.p, n.p, c.p)
	o, err := b.l.wrap(p, "engine")
	return HostMemory{o}, err
}

// LoadPlugins registers a library of plugins that networks can use.
func (b Builder) LoadPlugins(path string) error {
	return b.l.loadPlugins(C.VBuilder_getPluginRegistry(b.major(), b.p), path)
}

func (l *Library) loadPlugins(registry unsafe.Pointer, path string) error {
	_, err := l.wrap(named(path, func(path *C.char) unsafe.Pointer {
		return C.IPluginRegistry_loadLibrary(C.int(l.c.major), registry, path)
	}), "plugins from "+path)
	return err
}

// HostMemory is memory that TensorRT owns (IHostMemory).
type HostMemory struct{ object }

// Bytes returns a copy of the memory.
func (m HostMemory) Bytes() []byte {
	data, size := C.VHostMemory_data(m.major(), m.p), C.VHostMemory_size(m.major(), m.p)
	return append([]byte{}, unsafe.Slice((*byte)(data), int(size))...)
}

// Profile is the range of shapes for which an engine is built (IOptimizationProfile).
type Profile struct{ object }

// SetDimensions sets the minimum, optimum or maximum shape of an input; sel selects one of the
// three.
func (p Profile) SetDimensions(input string, sel Select, shape []int) (bool, error) {
	d, err := dims(shape)
	if err != nil {
		return false, err
	}
	return named(input, func(name *C.char) bool {
		return bool(C.VOptimizationProfile_setDimensions(p.major(), p.p, name, C.int32_t(sel), &d))
	}), nil
}

// SetShapeValues sets the minimum, optimum or maximum values of a shape input; sel selects one of
// the three. It passes 64-bit values if this TensorRT supports them (10.11 and later), and 32-bit
// values otherwise.
func (p Profile) SetShapeValues(input string, sel Select, values []int64) (bool, error) {
	name := C.CString(input)
	defer C.free(unsafe.Pointer(name))
	n, selector := C.int32_t(len(values)), C.int32_t(sel)
	slot, err := p.l.slot(C.trt_VOptimizationProfile_setShapeValuesV2)
	if err == nil {
		wide := make([]C.int64_t, 0, len(values)+1)
		for _, v := range values {
			wide = append(wide, C.int64_t(v))
		}
		return bool(C.VOptimizationProfile_setShapeValuesV2(slot, p.p, name, selector,
			unsafe.SliceData(wide), n)), nil
	}
	if slot, err = p.l.slot(C.trt_VOptimizationProfile_setShapeValues); err != nil {
		return false, err
	}
	narrow := make([]C.int32_t, 0, len(values)+1)
	for _, v := range values {
		if int64(int32(v)) != v {
			return false, errors.New("shape values of more than 32 bits need TensorRT 10.11 or later")
		}
		narrow = append(narrow, C.int32_t(v))
	}
	return bool(C.VOptimizationProfile_setShapeValues(slot, p.p, name, selector,
		unsafe.SliceData(narrow), n)), nil
}

// Valid reports whether the shapes of every input are consistent.
func (p Profile) Valid() bool { return bool(C.VOptimizationProfile_isValid(p.major(), p.p)) }
