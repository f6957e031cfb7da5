//go:build cgo && (linux || darwin)

package tract

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Prepare prepares a model for inputs with these types and shapes, in the order of the graph's
// inputs. tract does not count an input with an initializer as an input. If half is true, Prepare
// converts every float32 in the model to float16.
//
// The caller must check that every output of the graph is produced by a node, because otherwise
// tract aborts the process.
func (l *Library) Prepare(source Source, facts []Fact, half bool) (*Runnable, error) {
	parsed, err := l.parse(source)
	if err != nil {
		return nil, err
	}
	defer func() { C.mptract_free_parsed(l.table, parsed) }()
	var inputs, outputs C.size_t
	if err := check(C.mptract_counts(l.table, parsed, &inputs, &outputs)); err != nil {
		return nil, err
	}
	if len(facts) != int(inputs) {
		return nil, fmt.Errorf("tract finds %d inputs, but the model declares %d",
			int(inputs), len(facts))
	}
	for i, fact := range facts {
		if err := l.declare(parsed, i, fact); err != nil {
			return nil, err
		}
	}
	var typed unsafe.Pointer
	if err := check(C.mptract_type(l.table, &parsed, &typed)); err != nil {
		return nil, err
	}
	defer func() { C.mptract_free_typed(l.table, typed) }()
	if half {
		transform := C.CString("f32_to_f16")
		defer C.free(unsafe.Pointer(transform))
		err := check(C.mptract_transform(l.table, typed, transform))
		if err != nil {
			return nil, err
		}
	}
	r := &Runnable{library: l, inputs: int(inputs), outputs: int(outputs), half: half}
	r.users.Free = func() error {
		C.mptract_free_runnable(l.table, r.handle)
		return nil
	}
	err = check(C.mptract_prepare(l.table, &typed, &r.handle))
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (l *Library) parse(source Source) (parsed unsafe.Pointer, err error) {
	if source.Path != "" {
		path := C.CString(source.Path)
		defer C.free(unsafe.Pointer(path))
		err = check(C.mptract_parse_file(l.table, path, &parsed))
		return parsed, err
	}
	if len(source.Data) == 0 {
		return nil, &Error{"the model is empty"}
	}
	data := unsafe.Pointer(unsafe.SliceData(source.Data))
	var pinned runtime.Pinner
	pinned.Pin(data)
	defer pinned.Unpin()
	size := C.size_t(len(source.Data))
	err = check(C.mptract_parse_bytes(l.table, data, size, &parsed))
	return parsed, err
}

// declare sets the type and shape of input i of a parsed model.
func (l *Library) declare(parsed unsafe.Pointer, i int, fact Fact) error {
	if _, err := fact.Shape.Elements(); err != nil {
		return fmt.Errorf("input %d: %w", i, err)
	}
	text := C.CString(fact.String())
	defer C.free(unsafe.Pointer(text))
	return check(C.mptract_set_input(l.table, parsed, C.size_t(i), text))
}
