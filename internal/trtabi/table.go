//go:build linux && cgo

package trtabi

// #include "call.h"
import "C"

import (
	"sync"
	"unsafe"
)

// method is a row of methods.h.
type method struct {
	class, name           string
	since, slot10, slot11 int
}

// methods returns the rows of methods.h.
var methods = sync.OnceValue(func() []method {
	rows := (*[C.trt_row_count]C.trt_row)(unsafe.Pointer(&C.trt_rows))
	table := make([]method, len(rows))
	for i, r := range rows {
		table[i] = method{C.GoString(r.class), C.GoString(r.method), int(r.since), int(r.slot10),
			int(r.slot11)}
	}
	return table
})
