//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Config is the configuration of a build (IBuilderConfig). Enumerators are passed to its methods as
// the numbers that they have in the opened library's major version.
type Config struct{ object }

// SetFlag sets or clears a flag, and reads the flag back. It returns an error if the flag did not
// change, which would mean that this package has a wrong number for it.
func (c Config) SetFlag(flag int, on bool) error {
	if on {
		C.VBuilderConfig_setFlag(c.major(), c.p, C.int32_t(flag))
	} else {
		C.VBuilderConfig_clearFlag(c.major(), c.p, C.int32_t(flag))
	}
	if got := C.VBuilderConfig_getFlags(c.major(), c.p)>>flag&1 == 1; got != on {
		return fmt.Errorf("TensorRT %v rejects builder flag %d", c.l.Version(), flag)
	}
	return nil
}

// SetMemoryPoolLimit limits a memory pool. It returns an error if TensorRT then reports a different
// limit.
func (c Config) SetMemoryPoolLimit(pool, bytes int) error {
	C.VBuilderConfig_setMemoryPoolLimit(c.major(), c.p, C.int32_t(pool), C.size_t(bytes))
	got := int(C.VBuilderConfig_getMemoryPoolLimit(c.major(), c.p, C.int32_t(pool)))
	if got != bytes {
		return fmt.Errorf("TensorRT %v does not accept a limit of %d bytes for memory pool %d and "+
			"uses %d bytes instead", c.l.Version(), bytes, pool, got)
	}
	return nil
}

// SetOptimizationLevel sets how long the builder searches for fast kernels, from 0 to 5.
func (c Config) SetOptimizationLevel(level int) {
	C.VBuilderConfig_setBuilderOptimizationLevel(c.major(), c.p, C.int32_t(level))
}

// AddProfile adds an optimization profile.
func (c Config) AddProfile(p Profile) bool {
	return C.VBuilderConfig_addOptimizationProfile(c.major(), c.p, p.p) >= 0
}

// SetProfilingVerbosity sets how much the engine reports about its layers.
func (c Config) SetProfilingVerbosity(v int) {
	C.VBuilderConfig_setProfilingVerbosity(c.major(), c.p, C.int32_t(v))
}

// SetTacticSources sets the tactic sources that may be used. Each bit stands for one source.
func (c Config) SetTacticSources(bits uint32) bool {
	return bool(C.VBuilderConfig_setTacticSources(c.major(), c.p, C.uint32_t(bits)))
}

// SetTimingCache passes a timing cache to the builder. data is the cache's content, which may be
// empty. The caller must delete the cache after the build.
func (c Config) SetTimingCache(data []byte) (TimingCache, error) {
	cache, err := c.newTimingCache(data)
	if err != nil {
		return TimingCache{}, err
	}
	if !bool(C.VBuilderConfig_setTimingCache(c.major(), c.p, cache.p, false)) {
		cache.Delete()
		return TimingCache{}, c.foreignTimings()
	}
	return cache, nil
}

func (c Config) newTimingCache(data []byte) (TimingCache, error) {
	p := unsafe.Pointer(unsafe.SliceData(data))
	o, err := c.l.wrap(
		C.VBuilderConfig_createTimingCache(c.major(), c.p, p, C.size_t(len(data))), "timing cache")
	return TimingCache{o}, err
}

func (c Config) foreignTimings() error {
	return fmt.Errorf("TensorRT %v rejects the timing cache: it is from a different version or GPU; "+
		"delete the file", c.l.Version())
}

// TimingCache contains the builder's measurements (ITimingCache).
type TimingCache struct{ object }

// Serialize returns the cache as bytes.
func (t TimingCache) Serialize() ([]byte, error) {
	o, err := t.l.wrap(C.VTimingCache_serialize(t.major(), t.p), "serialized timing cache")
	if err != nil {
		return nil, err
	}
	memory := HostMemory{o}
	defer memory.Delete()
	return memory.Bytes(), nil
}

// Combine adds the contents of another timing cache, serialized as data.
func (t TimingCache) Combine(c Config, data []byte) error {
	other, err := c.newTimingCache(data)
	if err != nil {
		return err
	}
	defer other.Delete()
	if !bool(C.VTimingCache_combine(t.major(), t.p, other.p, false)) {
		return c.foreignTimings()
	}
	return nil
}

// SetPreviewFeature turns a preview feature on or off.
func (c Config) SetPreviewFeature(feature int, on bool) {
	C.VBuilderConfig_setPreviewFeature(c.major(), c.p, C.int32_t(feature), C.bool(on))
}

// SetHardwareLevel sets the group of GPUs on which the engine can run.
func (c Config) SetHardwareLevel(level int) {
	C.VBuilderConfig_setHardwareCompatibilityLevel(c.major(), c.p, C.int32_t(level))
}

// SetCapability restricts the engine to one capability (EngineCapability), such as safety.
func (c Config) SetCapability(capability int) {
	C.VBuilderConfig_setEngineCapability(c.major(), c.p, C.int32_t(capability))
}

// SetMaxAuxStreams sets the number of additional streams that the engine may use.
func (c Config) SetMaxAuxStreams(n int) {
	C.VBuilderConfig_setMaxAuxStreams(c.major(), c.p, C.int32_t(n))
}

// SetMonitor sets the [Library.Monitor] that can cancel the build.
func (c Config) SetMonitor(m *Callback) {
	C.VBuilderConfig_setProgressMonitor(c.major(), c.p, m.pointer())
}

// SetPluginsToSerialize names the plugin libraries to include in the engine.
func (c Config) SetPluginsToSerialize(paths []string) {
	names := make([]*C.char, len(paths))
	for i, path := range paths {
		names[i] = C.CString(path)
		defer C.free(unsafe.Pointer(names[i]))
	}
	if len(names) > 0 {
		C.VBuilderConfig_setPluginsToSerialize(c.major(), c.p, &names[0], C.int32_t(len(names)))
	}
}

// UseDLA makes a deep learning accelerator the default device for layers.
func (c Config) UseDLA(core int) {
	const dla = 1 // kDLA of enum DeviceType
	C.VBuilderConfig_setDefaultDeviceType(c.major(), c.p, dla)
	C.VBuilderConfig_setDLACore(c.major(), c.p, C.int32_t(core))
}

// UseGPU makes one layer run on the GPU.
func (c Config) UseGPU(l Layer) { C.VBuilderConfig_setDeviceType(c.major(), c.p, l.p, 0) }

// CanRunOnDLA reports whether the deep learning accelerator can run a layer.
func (c Config) CanRunOnDLA(l Layer) bool {
	return bool(C.VBuilderConfig_canRunOnDLA(c.major(), c.p, l.p))
}

// SetCalibrator sets the source of INT8 calibration data.
func (c Config) SetCalibrator(calibrator *Callback) error {
	return c.l.varying(C.trt_VBuilderConfig_setInt8Calibrator, func(slot C.trt_slot) {
		C.VBuilderConfig_setInt8Calibrator(slot, c.p, calibrator.pointer())
	})
}

// SetCalibrationProfile sets the shapes of the calibration batches.
func (c Config) SetCalibrationProfile(p Profile) error {
	slot, err := c.l.slot(C.trt_VBuilderConfig_setCalibrationProfile)
	if err == nil && !bool(C.VBuilderConfig_setCalibrationProfile(slot, c.p, p.p)) {
		err = fmt.Errorf("TensorRT %v rejects the calibration profile", c.l.Version())
	}
	return err
}

// SetQuantizationFlags sets the flags of INT8 calibration. Each bit stands for one flag.
func (c Config) SetQuantizationFlags(bits uint32) error {
	return c.l.varying(C.trt_VBuilderConfig_setQuantizationFlags, func(slot C.trt_slot) {
		C.VBuilderConfig_setQuantizationFlags(slot, c.p, C.uint32_t(bits))
	})
}

// SetPlatform sets the platform on which the engine will run (10.2 and later).
func (c Config) SetPlatform(platform int) error {
	return c.l.varying(C.trt_VBuilderConfig_setRuntimePlatform, func(slot C.trt_slot) {
		C.VBuilderConfig_setRuntimePlatform(slot, c.p, C.int32_t(platform))
	})
}

// SetTilingLevel sets how much time the builder spends on tiling (10.9 and later).
func (c Config) SetTilingLevel(level int) error {
	slot, err := c.l.slot(C.trt_VBuilderConfig_setTilingOptimizationLevel)
	if err == nil && !bool(C.VBuilderConfig_setTilingOptimizationLevel(slot, c.p, C.int32_t(level))) {
		err = fmt.Errorf("TensorRT %v rejects tiling level %d", c.l.Version(), level)
	}
	return err
}
