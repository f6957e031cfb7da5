//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

// HostBuffer is memory of the CPU whose address TensorRT keeps, which Go's memory does not allow.
// Its owner closes it.
type HostBuffer struct {
	p    unsafe.Pointer
	size int
}

// Reserve makes the buffer hold n zero bytes, and at least one, and gives them.
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

// Bytes is the first n bytes of what was reserved.
func (b *HostBuffer) Bytes(n int) []byte { return unsafe.Slice((*byte)(b.p), n) }

// Address is where the buffer lies; 0 before it was reserved.
func (b *HostBuffer) Address() uintptr { return uintptr(b.p) }

// Close frees the memory. Closing twice is harmless.
func (b *HostBuffer) Close() {
	C.free(b.p)
	b.p, b.size = nil, 0
}

// ReadHost fills data from an address in the CPU's memory that TensorRT gave.
func ReadHost(data []byte, address uintptr) {
	if len(data) > 0 {
		C.memcpy(unsafe.Pointer(&data[0]), *(*unsafe.Pointer)(unsafe.Pointer(&address)),
			C.size_t(len(data)))
	}
}
