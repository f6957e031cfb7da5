package memory

import (
	"syscall"
	"unsafe"
)

// largePage is the size of the pages that a large buffer had better have.
const largePage = 2 << 20

// Large tells the system that all of a new buffer is about to be written, so that it may give it
// large pages: 100 MB come in 50 pieces then, not in 24,000. What it does not do is no error.
func Large(buffer []byte) {
	if len(buffer) < 2*largePage {
		return
	}
	start := int(-uintptr(unsafe.Pointer(&buffer[0])) % largePage)
	whole := (len(buffer) - start) / largePage * largePage
	_ = syscall.Madvise(buffer[start:start+whole], syscall.MADV_HUGEPAGE)
}
