//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import (
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
	"google.golang.org/protobuf/encoding/protowire"
)

// writeEmpty makes an empty sequence of tensors. The C API has no function for this, so writeEmpty
// runs a model with the operator SequenceEmpty.
func (c *call) writeEmpty(elem ElementType) (value unsafe.Pointer, err error) {
	defer recovered(&err)
	owner, err := binding.NewDynamicAdvancedSessionWithONNXData(sequenceEmpty(elem), nil, nil, nil)
	if err != nil {
		return nil, err
	}
	defer owner.Destroy() //nolint:errcheck // it only frees memory
	session, err := sessionHandle(owner)
	if err != nil {
		return nil, err
	}
	output := c.text("sequence")
	err = c.api.check(C.mp_run(c.api.table, session, nil, nil, nil, 0, &output, 1, &value))
	return value, err
}

// sequenceEmpty returns an ONNX model that consists of one SequenceEmpty node. It is encoded by
// hand, with the field numbers of onnx.proto.
func sequenceEmpty(elem ElementType) []byte {
	integer := func(b []byte, field protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
	}
	message := func(b []byte, field protowire.Number, inner string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), inner)
	}
	const typeInt = 2
	attribute := integer(integer(message(nil, 1, "dtype"), 3, uint64(elem)), 20, typeInt)
	node := message(message(message(nil, 2, "sequence"), 4, "SequenceEmpty"), 5, string(attribute))
	graph := message(message(nil, 1, string(node)), 2, "empty")
	graph = message(graph, 12, string(message(nil, 1, "sequence")))
	model := message(integer(nil, 1, 8), 7, string(graph))
	return message(model, 8, string(integer(nil, 2, 11)))
}
