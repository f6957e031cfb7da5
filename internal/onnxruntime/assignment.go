//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Assignment lists the nodes that each provider runs, in graph order. The session must have been
// created with [Options].Record.
func (s *Session) Assignment() ([]Part, error) {
	s.running.RLock()
	defer s.running.RUnlock()
	if s.handle == nil {
		return nil, ErrClosed
	}
	var first *unsafe.Pointer
	var count C.size_t
	if err := s.api.check(C.mp_assignment(s.api.table, s.handle, &first, &count)); err != nil {
		return nil, fmt.Errorf("cannot tell which provider runs which nodes: %w", err)
	}
	var parts []Part
	for _, handle := range unsafe.Slice(first, int(count)) {
		part, err := s.api.part(handle)
		if err != nil {
			return nil, fmt.Errorf("cannot tell which provider runs which nodes: %w", err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// part reads one OrtEpAssignedSubgraph: a group of nodes that one provider runs.
func (a *api) part(handle unsafe.Pointer) (Part, error) {
	var provider *C.char
	var first *unsafe.Pointer
	var count C.size_t
	if err := a.check(C.mp_part(a.table, handle, &provider, &first, &count)); err != nil {
		return Part{}, err
	}
	part := Part{Provider: C.GoString(provider)}
	for _, node := range unsafe.Slice(first, int(count)) {
		var name, domain, operator *C.char
		if err := a.check(C.mp_node(a.table, node, &name, &domain, &operator)); err != nil {
			return Part{}, err
		}
		part.Nodes = append(part.Nodes,
			Node{C.GoString(name), C.GoString(domain), C.GoString(operator)})
	}
	return part, nil
}
