//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/modelparity/modelparity/tensor"
)

// Loop is a series of inferences in a session, or a single one. Kept outputs stay in the library's
// memory and become inputs of the next inference. Close frees the kept outputs. A Loop is not safe
// for concurrent use.
type Loop struct {
	session *Session
	kept    map[string]unsafe.Pointer // OrtValues by the name of the input
}

// Loop starts a series of inferences.
func (s *Session) Loop() *Loop { return &Loop{s, map[string]unsafe.Pointer{}} }

// Step runs one inference with the given inputs and all kept values, and returns the named outputs.
// keep maps names of outputs to names of inputs: each of these outputs is kept, and becomes that
// input of the next step. When ctx ends, the library stops between two nodes, and Step returns the
// context's error.
func (l *Loop) Step(ctx context.Context, inputs []Named, outputs []string,
	keep map[string]string) ([]Value, error) {
	s := l.session
	s.running.RLock()
	defer s.running.RUnlock()
	if s.handle == nil || l.kept == nil {
		return nil, ErrClosed
	}
	c := &call{api: s.api}
	defer c.free()
	for _, in := range inputs {
		if err := c.feed(in); err != nil {
			return nil, fmt.Errorf("input %q: %w", in.Name, err)
		}
	}
	for name, value := range l.kept {
		c.inputNames, c.inputs = append(c.inputNames, c.text(name)), append(c.inputs, value)
	}
	kept := slices.Sorted(maps.Keys(keep))
	for _, name := range slices.Concat(outputs, kept) {
		c.outputNames = append(c.outputNames, c.text(name))
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
	for i, output := range kept {
		value, input := c.outputs[len(outputs)+i], keep[output]
		if value == nil {
			return nil, fmt.Errorf("the model returned no output %q", output)
		}
		c.made = slices.DeleteFunc(c.made, func(v unsafe.Pointer) bool { return v == value })
		if old, ok := l.kept[input]; ok {
			C.mp_release_value(s.api.table, old)
		}
		l.kept[input] = value
	}
	return values, nil
}

// Kept returns the element type and shape of the value kept for an input.
func (l *Loop) Kept(input string) (tensor.ElementType, tensor.Shape, error) {
	value, ok := l.kept[input]
	if !ok {
		return tensor.Invalid, nil, notKept(input)
	}
	code, shape, err := l.session.api.typeOf(value)
	return Codes.Element(code), shape, err
}

// Read returns a copy of the value kept for an input.
func (l *Loop) Read(input string) (*tensor.Tensor, error) {
	value, ok := l.kept[input]
	if !ok {
		return nil, notKept(input)
	}
	return l.session.api.readTensor(value)
}

func notKept(input string) error { return fmt.Errorf("no step has set input %q", input) }

// Close frees the kept values. Closing twice is harmless.
func (l *Loop) Close() {
	for _, value := range l.kept {
		C.mp_release_value(l.session.api.table, value)
	}
	l.kept = nil
}
