//go:build cgo && (linux || darwin)

package genai

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/modelparity/modelparity/internal/dlopen"
)

// Library is an opened library. It is never closed, because its threads may still be running.
type Library struct {
	table *C.mpgenai
}

// opened contains the open libraries by path.
var opened dlopen.Libraries[Library]

// Open opens the library at path, or the library that the system's loader finds by that name. It
// returns an error if the file is not ONNX Runtime GenAI's library or lacks a function.
func Open(path string) (*Library, error) {
	return opened.Open(path, func(handle unsafe.Pointer) (*Library, error) {
		table := (*C.mpgenai)(C.calloc(1, C.sizeof_mpgenai))
		if missing := C.mpgenai_find(handle, table); missing != nil {
			C.free(unsafe.Pointer(table))
			return nil, fmt.Errorf("%s is not a usable ONNX Runtime GenAI: it has no %s", path,
				C.GoString(missing))
		}
		return &Library{table}, nil
	})
}

// check converts the result of a library call to an [*Error], or to nil if the call succeeded. It
// frees the result.
func (l *Library) check(result unsafe.Pointer) error {
	said := C.mpgenai_said(l.table, result)
	if said == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(said))
	return &Error{strings.Join(strings.Fields(C.GoString(said)), " ")}
}
