//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Runtime reads serialized engines (IRuntime).
type Runtime struct{ object }

// NewRuntime creates a runtime on the current CUDA device.
func (l *Library) NewRuntime() (Runtime, error) {
	o, err := l.wrap(C.trt_create_runtime(l.c, l.logger.pointer()), "runtime")
	return Runtime{o}, err
}

// Load creates a runtime of another TensorRT version, for version-compatible engines. path names
// that version's lean library. Delete the new runtime before r.
func (r Runtime) Load(path string) (Runtime, error) {
	o, err := r.l.wrap(named(path, func(path *C.char) unsafe.Pointer {
		return C.VRuntime_loadRuntime(r.major(), r.p, path)
	}), "runtime from "+path)
	return Runtime{o}, err
}

// AllowHostCode allows engines to run code that they contain: the lean runtime of a
// version-compatible engine, and its plugins.
func (r Runtime) AllowHostCode() { C.VRuntime_setEngineHostCodeAllowed(r.major(), r.p, true) }

// LoadPlugins registers a library of plugins that engines can use.
func (r Runtime) LoadPlugins(path string) error {
	return r.l.loadPlugins(C.VRuntime_getPluginRegistry(r.major(), r.p), path)
}

// Engine creates an engine from its serialized form. If that fails, the reason is in TensorRT's
// log.
func (r Runtime) Engine(plan []byte) (Engine, error) {
	o, err := r.l.wrap(C.VRuntime_deserializeCudaEngine(r.major(), r.p,
		unsafe.Pointer(unsafe.SliceData(plan)), C.size_t(len(plan))), "engine from the plan")
	return Engine{o}, err
}

// Engine is a network that has been built (ICudaEngine). Delete it before its runtime.
type Engine struct{ object }

// Name returns the engine's name.
func (e Engine) Name() string { return C.GoString(C.VCudaEngine_getName(e.major(), e.p)) }
func (e Engine) Layers() int  { return int(C.VCudaEngine_getNbLayers(e.major(), e.p)) }
func (e Engine) Profiles() int {
	return int(C.VCudaEngine_getNbOptimizationProfiles(e.major(), e.p))
}
func (e Engine) AuxStreams() int {
	return int(C.VCudaEngine_getNbAuxStreams(e.major(), e.p))
}

// Refittable reports whether the engine's weights can be replaced.
func (e Engine) Refittable() bool { return bool(C.VCudaEngine_isRefittable(e.major(), e.p)) }

// DeviceMemory returns the number of bytes of GPU memory that one inference needs, or -1 before
// 10.1.
func (e Engine) DeviceMemory() int64 {
	slot, err := e.l.slot(C.trt_VCudaEngine_getDeviceMemorySizeV2)
	if err != nil {
		return -1
	}
	return int64(C.VCudaEngine_getDeviceMemorySizeV2(slot, e.p))
}

// StreamableWeights returns the number of bytes of weights that can stay in the CPU's memory.
func (e Engine) StreamableWeights() int64 {
	return int64(C.VCudaEngine_getStreamableWeightsSize(e.major(), e.p))
}

// SetWeightStreamingBudget sets the number of bytes of weights that stay on the GPU. With a
// negative number, TensorRT chooses (10.1 and later).
func (e Engine) SetWeightStreamingBudget(bytes int64) error {
	set, err := e.l.slot(C.trt_VCudaEngine_setWeightStreamingBudgetV2)
	if err != nil {
		return err
	}
	if bytes < 0 {
		automatic, err := e.l.slot(C.trt_VCudaEngine_getWeightStreamingAutomaticBudget)
		if err != nil {
			return err
		}
		bytes = int64(C.VCudaEngine_getWeightStreamingAutomaticBudget(automatic, e.p))
	}
	if !bool(C.VCudaEngine_setWeightStreamingBudgetV2(set, e.p, C.int64_t(bytes))) {
		return fmt.Errorf("the engine rejects a weight streaming budget of %d bytes", bytes)
	}
	return nil
}

// Context creates a context in which the engine runs. strategy is an index into [Strategies].
func (e Engine) Context(strategy int) (Context, error) {
	o, err := e.l.wrap(C.VCudaEngine_createExecutionContext(e.major(), e.p, C.int32_t(strategy)),
		"execution context")
	return Context{o}, err
}

// Tensors returns the names of the engine's inputs and outputs.
func (e Engine) Tensors() []string {
	names := make([]string, C.VCudaEngine_getNbIOTensors(e.major(), e.p))
	for i := range names {
		names[i] = C.GoString(C.VCudaEngine_getIOTensorName(e.major(), e.p, C.int32_t(i)))
	}
	return names
}

// Binding describes an input or output of an engine.
type Binding struct {
	Name       string
	Input      bool
	OnHost     bool // its values are in CPU memory
	Type       DataType
	Shape      []int // -1 for a dynamic dimension
	Format     int   // an index into TensorFormats
	FormatText string
	Vector     int // the dimension that is packed into vectors, or -1
	Components int // elements per vector, or -1
}

// Binding describes an input or output. The description contains the memory format in the given
// optimization profile.
func (e Engine) Binding(name string, profile int) Binding {
	c, m, p := C.CString(name), e.major(), C.int32_t(profile)
	defer C.free(unsafe.Pointer(c))
	const input = 1 // kINPUT of enum TensorIOMode
	return Binding{
		Name:       name,
		Input:      C.VCudaEngine_getTensorIOMode(m, e.p, c) == input,
		OnHost:     C.VCudaEngine_getTensorLocation(m, e.p, c) == onHost,
		Type:       DataType(C.VCudaEngine_getTensorDataType(m, e.p, c)),
		Shape:      goDims(C.VCudaEngine_getTensorShape(m, e.p, c)),
		Format:     int(C.VCudaEngine_getTensorFormatV2(m, e.p, c, p)),
		FormatText: C.GoString(C.VCudaEngine_getTensorFormatDescV2(m, e.p, c, p)),
		Vector:     int(C.VCudaEngine_getTensorVectorizedDimV2(m, e.p, c, p)),
		Components: int(C.VCudaEngine_getTensorComponentsPerElementV2(m, e.p, c, p)),
	}
}

// ProfileShape returns an input's minimum, optimum or maximum shape in an optimization profile.
func (e Engine) ProfileShape(name string, profile int, sel Select) []int {
	return named(name, func(name *C.char) []int {
		return goDims(C.VCudaEngine_getProfileShape(e.major(), e.p, name, C.int32_t(profile),
			C.int32_t(sel)))
	})
}

// SavesNoWeights reports whether TensorRT's default configuration for saving the engine excludes
// the weights.
func (e Engine) SavesNoWeights() (bool, error) {
	config, err := e.l.wrap(C.VCudaEngine_createSerializationConfig(e.major(), e.p),
		"serialization configuration")
	if err != nil {
		return false, err
	}
	defer config.Delete()
	const excludeWeights = 0 // kEXCLUDE_WEIGHTS of enum SerializationFlag
	return bool(C.VSerializationConfig_getFlag(config.major(), config.p, excludeWeights)), nil
}

// Information returns a JSON description of the engine from its inspector.
func (e Engine) Information() (string, error) {
	o, err := e.l.wrap(C.VCudaEngine_createEngineInspector(e.major(), e.p), "engine inspector")
	if err != nil {
		return "", err
	}
	defer o.Delete()
	const json = 1 // kJSON of enum LayerInformationFormat
	text := C.VEngineInspector_getEngineInformation(o.major(), o.p, json)
	if text == nil {
		return "", errors.New("the engine inspector returned nothing")
	}
	return C.GoString(text), nil
}
