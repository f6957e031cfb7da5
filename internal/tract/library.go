//go:build cgo && (linux || darwin)

package tract

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/modelparity/modelparity/internal/dlopen"
)

// Library is an opened tract. It stays open until the process ends, because its threads register
// destructors.
type Library struct {
	Path    string // the path or name that the library was opened with
	Version string // "0.23.9"

	table *C.mptract
}

// opened contains the open libraries by path.
var opened dlopen.Libraries[Library]

// Open opens the library at path, or the library that the system's loader finds by that name. It
// returns an error if the file is not tract's library or lacks a function.
func Open(path string) (*Library, error) {
	return opened.Open(path, func(handle unsafe.Pointer) (*Library, error) {
		table := (*C.mptract)(C.calloc(1, C.sizeof_mptract))
		if missing := C.mptract_find(handle, table); missing != nil {
			C.free(unsafe.Pointer(table))
			return nil, fmt.Errorf("%s is not a usable tract: it has no %s", path,
				C.GoString(missing))
		}
		return &Library{Path: path, Version: C.GoString(C.mptract_version(table)),
			table: table}, nil
	})
}

// check returns an [*Error] with the message of a failed call, or nil if there is no message. It
// frees the message.
func check(said *C.char) error {
	if said == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(said))
	return &Error{oneLine(C.GoString(said))}
}
