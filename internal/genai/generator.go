//go:build cgo && (linux || darwin)

package genai

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

// Generator is one sequence of tokens with its cache. The library stores both in its memory until
// Close frees them.
type Generator struct {
	model  *Model
	handle unsafe.Pointer
}

// Generator starts a sequence.
func (m *Model) Generator() (*Generator, error) {
	if !m.users.Enter() {
		return nil, ErrClosed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	g := &Generator{model: m}
	if err := m.library.check(C.mpgenai_generator(m.library.table, m.handle, &g.handle)); err != nil {
		m.users.Leave()
		return nil, err
	}
	return g, nil
}

// enter locks the model for one call of the library; call leave after it. If the generator or model
// is closed, enter returns an error.
func (g *Generator) enter() error {
	if !g.model.users.Enter() {
		return ErrClosed
	}
	g.model.mu.Lock()
	if g.handle == nil {
		g.leave()
		return ErrClosed
	}
	return nil
}

func (g *Generator) leave() {
	g.model.mu.Unlock()
	g.model.users.Leave()
}

// Append runs the model on further tokens of the sequence. If ctx ends, the library stops between
// two nodes of the graph, and Append returns the context's cause. The generator cannot be used
// afterwards.
func (g *Generator) Append(ctx context.Context, tokens []int32) error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l := g.model.library
	// Before returning, wait for the goroutine that watches ctx, if it started, because it must not
	// use a freed generator.
	watched := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(watched)
		key, value := C.CString("terminate_session"), C.CString("1")
		defer C.free(unsafe.Pointer(key))
		defer C.free(unsafe.Pointer(value))
		_ = l.check(C.mpgenai_option(l.table, g.handle, key, value)) // else the call completes
	})
	var first *C.int32_t
	if len(tokens) > 0 {
		first = (*C.int32_t)(unsafe.Pointer(&tokens[0]))
	}
	err := l.check(C.mpgenai_append(l.table, g.handle, first, C.size_t(len(tokens))))
	if !stop() {
		<-watched
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// Rewind drops the last tokens of the sequence. length is the number of tokens that remain.
func (g *Generator) Rewind(length int) error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	l := g.model.library
	return l.check(C.mpgenai_rewind(l.table, g.handle, C.size_t(length)))
}

// mostDims is the largest number of dimensions that Output supports.
const mostDims = 16

// Output returns a copy of an output of the last step.
func (g *Generator) Output(name string) (*tensor.Tensor, error) {
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave()
	l := g.model.library
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var value, data unsafe.Pointer
	var elem C.int
	var dims [mostDims]C.int64_t
	rank := C.size_t(mostDims)
	if err := l.check(C.mpgenai_output(l.table, g.handle, text, &value, &elem, &dims[0], &rank,
		&data)); err != nil {
		return nil, err
	}
	defer C.mpgenai_free_tensor(l.table, value)
	if rank > mostDims {
		return nil, fmt.Errorf("output %q has %d dimensions; up to %d can be read", name, int(rank),
			mostDims)
	}
	t, err := codes.Copy(int(elem), dlopen.Shape(dims[:rank]), data)
	if err != nil {
		return nil, fmt.Errorf("output %q: %w", name, err)
	}
	return t, nil
}

// Close frees the sequence and its cache. Closing twice is harmless.
func (g *Generator) Close() {
	g.model.mu.Lock()
	if g.handle == nil {
		g.model.mu.Unlock()
		return
	}
	C.mpgenai_free_generator(g.model.library.table, g.handle)
	g.handle = nil
	g.leave()
}
