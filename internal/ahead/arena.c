//go:build cgo && linux

#include <stdlib.h> // which says whether this is glibc
#ifdef __GLIBC__
#include <malloc.h>

// glibc gives each thread an arena of its own, which grows by pages: a session then asks the system
// for memory 2,000 times. How many there may be is settled as soon as there is a second one, so
// this comes before Go has threads.
__attribute__((constructor)) static void one_arena(void) { mallopt(M_ARENA_MAX, 1); }
#endif
