package memory

import (
	"syscall"
	"unsafe"
)

// largePage is the preferred page size of large buffers.
const largePage = 2 << 20

// Large tells the system that a new buffer will be filled completely, so that the system may use
// large pages: 100 MB then need 50 page faults instead of 24,000. Failures are ignored.
func Large(buffer []byte) {
	if len(buffer) < 2*largePage {
		return
	}
	start := int(-uintptr(unsafe.Pointer(&buffer[0])) % largePage)
	whole := (len(buffer) - start) / largePage * largePage
	_ = syscall.Madvise(buffer[start:start+whole], syscall.MADV_HUGEPAGE)
}
