//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"
)

// Loop is a series of inferences in a session. Kept outputs stay in the library's memory and become
// inputs of the next inference. Close frees the kept outputs. A Loop is not safe for concurrent
// use.
type Loop struct {
	session *Session
	kept    map[string]unsafe.Pointer // OrtValues by the name of the input
	names   map[string]*C.char
}

// Loop starts a series of inferences.
func (s *Session) Loop() *Loop {
	return &Loop{session: s, kept: map[string]unsafe.Pointer{}, names: map[string]*C.char{}}
}

// name returns s as a C string that is freed with the loop.
func (l *Loop) name(s string) *C.char {
	text, ok := l.names[s]
	if !ok {
		text = C.CString(s)
		l.names[s] = text
	}
	return text
}

// Step runs one inference with the given inputs and all kept values. It returns the named outputs.
// Each pair in keep names an output to keep and the input that it becomes.
func (l *Loop) Step(ctx context.Context, inputs []Named, outputs []string, keep [][2]string) (
	[]Value, error) {
	s := l.session
	s.running.RLock()
	defer s.running.RUnlock()
	if s.handle == nil || l.kept == nil {
		return nil, ErrClosed
	}
	c := &call{api: s.api}
	defer c.free()
	for _, in := range inputs {
		value, err := c.write(in.Value)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", in.Name, err)
		}
		c.inputNames, c.inputs = append(c.inputNames, l.name(in.Name)), append(c.inputs, value)
	}
	for name, value := range l.kept {
		c.inputNames, c.inputs = append(c.inputNames, l.name(name)), append(c.inputs, value)
	}
	for _, name := range outputs {
		c.outputNames = append(c.outputNames, l.name(name))
	}
	for _, pair := range keep {
		c.outputNames = append(c.outputNames, l.name(pair[0]))
	}
	if err := c.run(ctx, s); err != nil {
		return nil, err
	}
	values := make([]Value, len(outputs))
	for i, name := range outputs {
		var err error
		if values[i], err = s.api.read(c.outputs[i]); err != nil {
			return nil, fmt.Errorf("output %q: %w", name, err)
		}
	}
	for i, pair := range keep {
		value := c.outputs[len(outputs)+i]
		if value == nil {
			return nil, fmt.Errorf("the model returned no output %q", pair[0])
		}
		c.made = without(c.made, value)
		if old, ok := l.kept[pair[1]]; ok {
			C.mp_release_value(s.api.table, old)
		}
		l.kept[pair[1]] = value
	}
	return values, nil
}

// without returns the list with one value removed.
func without(list []unsafe.Pointer, value unsafe.Pointer) []unsafe.Pointer {
	for i, v := range list {
		if v == value {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// Kept returns the element type and shape of the value kept for an input. ok is false if no value
// is kept for it.
func (l *Loop) Kept(input string) (t ElementType, shape []int, ok bool, err error) {
	value, ok := l.kept[input]
	if !ok {
		return 0, nil, false, nil
	}
	api := l.session.api
	var elem C.int32_t
	var rank C.size_t
	if err := api.check(C.mp_rank(api.table, value, &elem, &rank)); err != nil {
		return 0, nil, true, err
	}
	sizes := make([]C.int64_t, int(rank))
	if err := api.check(C.mp_shape(api.table, value, first(sizes), rank)); err != nil {
		return 0, nil, true, err
	}
	shape = make([]int, len(sizes))
	for i, d := range sizes {
		shape[i] = int(d)
	}
	return ElementType(elem), shape, true, nil
}

// Read returns a copy of the value kept for an input. ok is false if no value is kept for it.
func (l *Loop) Read(input string) (v Value, ok bool, err error) {
	value, ok := l.kept[input]
	if !ok {
		return v, false, nil
	}
	v, err = l.session.api.read(value)
	return v, true, err
}

// Close frees the kept values. Closing twice is harmless.
func (l *Loop) Close() {
	for _, value := range l.kept {
		C.mp_release_value(l.session.api.table, value)
	}
	for _, name := range l.names {
		C.free(unsafe.Pointer(name))
	}
	l.kept, l.names = nil, nil
}
