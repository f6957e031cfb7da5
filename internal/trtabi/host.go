//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

// HostBuffer is CPU memory outside Go's heap, so TensorRT may keep its address. Its owner must
// close it.
type HostBuffer struct {
	p    unsafe.Pointer
	size int
}

// Reserve makes room for n bytes, sets them to zero, and returns them. Even if n is 0, the buffer
// has an address.
func (b *HostBuffer) Reserve(n int) []byte {
	if b.p == nil || b.size < n {
		b.Close()
		b.size = max(n, 1)
		b.p = C.calloc(C.size_t(b.size), 1)
	}
	bytes := unsafe.Slice((*byte)(b.p), n)
	clear(bytes)
	return bytes
}

// Bytes returns the first n bytes.
func (b *HostBuffer) Bytes(n int) []byte { return unsafe.Slice((*byte)(b.p), n) }

// Address returns the buffer's address, or 0 before Reserve.
func (b *HostBuffer) Address() uintptr { return uintptr(b.p) }

// Close frees the memory. Closing twice is harmless.
func (b *HostBuffer) Close() {
	C.free(b.p)
	b.p, b.size = nil, 0
}

// ReadHost copies data from an address in CPU memory that TensorRT provided.
func ReadHost(data []byte, address uintptr) {
	if len(data) > 0 {
		C.memcpy(unsafe.Pointer(&data[0]), *(*unsafe.Pointer)(unsafe.Pointer(&address)),
			C.size_t(len(data)))
	}
}
