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
)

// Model is a network with its configuration. Its memory is freed when the model and all its
// generators have been closed.
type Model struct {
	library *Library

	mu     sync.Mutex // the library is not safe for concurrent use
	handle unsafe.Pointer
	users  int // number of generators, plus 1 until Close
	closed bool
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
	m := &Model{library: l, users: 1}
	return m, l.check(C.mpgenai_load(l.table, texts[0], texts[1], data, C.size_t(len(from.Data)),
		texts[2], &m.handle))
}

// Close frees the model, if necessary after its last generator is closed. Closing twice is
// harmless.
func (m *Model) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		m.leave()
	}
}

// leave decrements the number of users, and frees the model when there are none left. The caller
// must hold the lock.
func (m *Model) leave() {
	if m.users--; m.users == 0 && m.handle != nil {
		C.mpgenai_free_model(m.library.table, m.handle)
		m.handle = nil
	}
}
