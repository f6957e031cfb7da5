//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import (
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// writeEmpty makes an empty sequence of tensors. The C API has no function for this, so writeEmpty
// runs a model with the operator SequenceEmpty.
func (c *call) writeEmpty(elem tensor.ElementType) (value unsafe.Pointer, err error) {
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

// sequenceEmpty returns an ONNX model that consists of one SequenceEmpty node. The field numbers
// are from onnx.proto.
func sequenceEmpty(elem tensor.ElementType) []byte {
	const typeInt = 2
	text, integer, message := onnxwire.AppendText, onnxwire.AppendVarint, onnxwire.AppendMessage
	attribute := integer(integer(text(nil, 1, "dtype"), 3, uint64(Codes.Of(elem))), 20, typeInt)
	node := message(text(text(nil, 2, "sequence"), 4, "SequenceEmpty"), 5, attribute)
	graph := message(text(message(nil, 1, node), 2, "empty"), 12, text(nil, 1, "sequence"))
	return onnxwire.AppendModel(nil, 8, []onnxwire.Opset{{Version: 11}}, graph)
}
