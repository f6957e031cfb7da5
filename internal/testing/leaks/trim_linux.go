//go:build cgo

package leaks

// int malloc_trim(unsigned long) __attribute__((weak));
// static void trim(void) { if (malloc_trim) malloc_trim(0); }
import "C"

// trim makes the C library return pooled memory to the system, if it can. Otherwise, glibc would
// keep unused pages, and their number would depend on which thread freed them.
func trim() { C.trim() }
