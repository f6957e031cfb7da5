package memory

import (
	"syscall"
	"unsafe"
)

// largePage is the preferred page size of large buffers.
const largePage = 2 << 20

// Large tells the system that a new buffer will be filled completely. The system may then use large
// pages, so that 100 MB cause 50 page faults instead of 24,000. Large ignores failures.
func Large(buffer []byte) {
	if len(buffer) < 2*largePage {
		return
	}
	start := int(-uintptr(unsafe.Pointer(&buffer[0])) % largePage)
	whole := (len(buffer) - start) / largePage * largePage
	_ = syscall.Madvise(buffer[start:start+whole], syscall.MADV_HUGEPAGE)
}
