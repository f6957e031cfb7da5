//go:build cgo && (linux || darwin)

package genai

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/modelparity/modelparity/internal/inuse"
)

// Model is a network with its configuration. Its memory is freed once the model and all its
// generators have been closed.
type Model struct {
	library *Library

	mu     sync.Mutex // the library is not safe for concurrent use
	handle unsafe.Pointer
	users  inuse.Guard // each generator is one, and each call of a generator
}

// Load loads a model with its configuration.
func (l *Library) Load(from Source) (*Model, error) {
	texts := make([]*C.char, 3)
	for i, text := range []string{from.Folder, from.File, from.Overlay} {
		if text != "" {
			texts[i] = C.CString(text)
			defer C.free(unsafe.Pointer(texts[i]))
		}
	}
	data := unsafe.Pointer(unsafe.SliceData(from.Data))
	var pinned runtime.Pinner
	defer pinned.Unpin()
	if data != nil {
		pinned.Pin(data)
	}
	m := &Model{library: l}
	m.users.Free = func() error {
		if m.handle != nil {
			C.mpgenai_free_model(l.table, m.handle)
		}
		return nil
	}
	return m, l.check(C.mpgenai_load(l.table, texts[0], texts[1], data, C.size_t(len(from.Data)),
		texts[2], &m.handle))
}

// Close closes the model. Its memory is freed once its last generator is closed too. Closing twice
// is harmless.
func (m *Model) Close() { _ = m.users.Close() } // freeing cannot fail
