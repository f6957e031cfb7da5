//go:build linux && cgo

package trtabi

// #include "call.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// Serialize returns the engine as bytes, with TensorRT's default configuration.
func (e Engine) Serialize() ([]byte, error) {
	return e.serialized(C.VCudaEngine_serialize(e.major(), e.p))
}

// Serialization configures what a serialized engine contains (ISerializationConfig). Its owner must
// delete it.
type Serialization struct{ object }

// Serialization returns TensorRT's default configuration.
func (e Engine) Serialization() (Serialization, error) {
	o, err := e.l.wrap(C.VCudaEngine_createSerializationConfig(e.major(), e.p),
		"serialization configuration")
	return Serialization{o}, err
}

// Flag reports whether a flag is set. flag is a number from [SerializationFlags].
func (s Serialization) Flag(flag int) bool {
	return bool(C.VSerializationConfig_getFlag(s.major(), s.p, C.int32_t(flag)))
}

// SetFlag sets or clears a flag. It reads the flag back, because TensorRT silently ignores flags
// that it does not support.
func (s Serialization) SetFlag(flag int, on bool) error {
	if on {
		C.VSerializationConfig_setFlag(s.major(), s.p, C.int32_t(flag))
	} else {
		C.VSerializationConfig_clearFlag(s.major(), s.p, C.int32_t(flag))
	}
	if s.Flag(flag) != on {
		return fmt.Errorf("TensorRT did not set serialization flag %d to %v", flag, on)
	}
	return nil
}

// SerializeWith returns the engine as bytes, with the given configuration.
func (e Engine) SerializeWith(s Serialization) ([]byte, error) {
	return e.serialized(C.VCudaEngine_serializeWithConfig(e.major(), e.p, s.p))
}

func (e Engine) serialized(p unsafe.Pointer) ([]byte, error) {
	o, err := e.l.wrap(p, "serialized engine")
	if err != nil {
		return nil, err
	}
	memory := HostMemory{o}
	defer memory.Delete()
	return memory.Bytes(), nil
}
