//go:build cgo

package enginetest

// int malloc_trim(unsigned long) __attribute__((weak));
// static void trim(void) { if (malloc_trim) malloc_trim(0); }
import "C"

// trim has the C library give back what it holds in pools, where it can: glibc's arenas keep pages
// that nothing uses, and how many depends on which thread freed them.
func trim() { C.trim() }
