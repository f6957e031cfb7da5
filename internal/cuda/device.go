//go:build linux && cgo

package cuda

// #include "driver.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Device is one GPU and its primary context. The context is retained until the process ends,
// because libraries keep state in it. A Device is safe for concurrent use.
type Device struct {
	Driver     *Driver
	Name       string // "NVIDIA H200"
	Capability string // the compute capability: "9.0"

	handle  C.int
	context C.cu_context
}

// The device attributes that Device reads (CUdevice_attribute).
const (
	attributeCapabilityMajor = 75
	attributeCapabilityMinor = 76
)

// Device opens the GPU with the given number, counted from 0, and retains its primary context.
func (d *Driver) Device(ordinal int) (*Device, error) {
	if ordinal < 0 || ordinal >= d.devices {
		return nil, fmt.Errorf("cuda: unknown device %d; this machine has 0 to %d", ordinal, d.devices-1)
	}
	device := &Device{Driver: d}
	if err := d.check(C.cuda_device(d.c, &device.handle, C.int(ordinal)), "device"); err != nil {
		return nil, err
	}
	var name [256]C.char
	r := C.cuda_device_name(d.c, &name[0], C.int(len(name)), device.handle)
	if err := d.check(r, "device name"); err != nil {
		return nil, err
	}
	var major, minor C.int
	for value, attribute := range map[*C.int]C.int{
		&major: attributeCapabilityMajor, &minor: attributeCapabilityMinor,
	} {
		r := C.cuda_attribute(d.c, value, attribute, device.handle)
		if err := d.check(r, "compute capability"); err != nil {
			return nil, err
		}
	}
	r = C.cuda_retain(d.c, &device.context, device.handle)
	if err := d.check(r, "primary context of %s", C.GoString(&name[0])); err != nil {
		return nil, err
	}
	device.Name = C.GoString(&name[0])
	device.Capability = fmt.Sprintf("%d.%d", major, minor)
	return device, nil
}

// Do calls f with the device's context current. Until f returns, the goroutine is locked to its OS
// thread. Use Do to call libraries that themselves call CUDA.
func (d *Device) Do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := C.cuda_set_current(d.Driver.c, d.context)
	if err := d.Driver.check(r, "use %s", d.Name); err != nil {
		return err
	}
	return f()
}

// Memory returns the free and the total bytes of the GPU's memory.
func (d *Device) Memory() (free, total int64, err error) {
	var f, t C.size_t
	r := C.cuda_mem_info(d.Driver.c, d.context, &f, &t)
	return int64(f), int64(t), d.Driver.check(r, "memory")
}

// Stream is a queue of work on a device. Close it when it is no longer needed.
type Stream struct {
	device *Device
	handle C.cu_stream
}

// NewStream creates a stream that does not synchronise with the default stream.
func (d *Device) NewStream() (*Stream, error) {
	s := &Stream{device: d}
	r := C.cuda_stream_create(d.Driver.c, d.context, &s.handle)
	return s, d.Driver.check(r, "new stream")
}

// Handle returns the stream for C libraries (cudaStream_t).
func (s *Stream) Handle() unsafe.Pointer { return unsafe.Pointer(s.handle) }

// Wait waits until all work in the stream is done.
func (s *Stream) Wait() error {
	d := s.device
	return d.Driver.check(C.cuda_stream_wait(d.Driver.c, d.context, s.handle), "wait")
}

// Close waits for the stream's work and destroys the stream. Closing twice is harmless.
func (s *Stream) Close() {
	if s.handle == nil {
		return
	}
	d := s.device
	C.cuda_stream_wait(d.Driver.c, d.context, s.handle)
	C.cuda_stream_destroy(d.Driver.c, d.context, s.handle)
	s.handle = nil
}
