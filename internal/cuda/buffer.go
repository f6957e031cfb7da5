//go:build linux && cgo

package cuda

// #include "driver.h"
import "C"

import "unsafe"

// Buffer is memory on a device. It grows on demand and never shrinks, so that repeated runs with
// the same shapes allocate memory only once. Create a Buffer with [Device.NewBuffer], and close it
// when it is no longer needed.
type Buffer struct {
	device *Device
	p      C.cu_ptr
	size   int
}

// NewBuffer returns an empty buffer on the device.
func (d *Device) NewBuffer() *Buffer { return &Buffer{device: d} }

// Reserve grows the buffer to at least n bytes, or to one byte if n is 0, because TensorRT needs an
// address even for an empty tensor. A buffer that grows loses its contents.
func (b *Buffer) Reserve(n int) error {
	if n = max(n, 1); n <= b.size {
		return nil
	}
	b.Close()
	d := b.device
	r := C.cuda_alloc(d.Driver.c, d.context, &b.p, C.size_t(n))
	if err := d.Driver.check(r, "allocate %d bytes on %s", n, d.Name); err != nil {
		b.p = 0
		return err
	}
	b.size = n
	return nil
}

// Address returns the buffer's address on the device, or 0 if nothing is allocated.
func (b *Buffer) Address() uintptr { return uintptr(b.p) }

// Size returns the buffer's size in bytes.
func (b *Buffer) Size() int { return b.size }

// Write copies data to the beginning of the buffer, growing it if needed.
func (b *Buffer) Write(data []byte, s *Stream) error {
	if err := b.Reserve(len(data)); err != nil || len(data) == 0 {
		return err
	}
	d := b.device
	r := C.cuda_to_device(d.Driver.c, d.context, b.p, unsafe.Pointer(&data[0]),
		C.size_t(len(data)), s.handle)
	return d.Driver.check(r, "copy %d bytes to the device", len(data))
}

// Close frees the memory. Closing twice is harmless, and the buffer can be used again.
func (b *Buffer) Close() {
	if b.p != 0 {
		C.cuda_free(b.device.Driver.c, b.device.context, b.p)
	}
	b.p, b.size = 0, 0
}

// ReadAt fills data with bytes from an address on the device, after all work that is already queued
// on the stream.
func (s *Stream) ReadAt(data []byte, address uintptr) error {
	if len(data) == 0 {
		return nil
	}
	d := s.device
	r := C.cuda_to_host(d.Driver.c, d.context, unsafe.Pointer(&data[0]), C.cu_ptr(address),
		C.size_t(len(data)), s.handle)
	return d.Driver.check(r, "copy %d bytes from the device", len(data))
}
