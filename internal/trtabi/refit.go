//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Refit replaces the engine's weights with the weights of an ONNX model that has the same
// structure. It returns the names of the weights that the model lacks. After an error, some weights
// may have been replaced.
func (e Engine) Refit(model []byte, path string) ([]string, error) {
	l := e.l
	refitter, err := l.wrap(C.trt_create_refitter(l.c, e.p, l.logger.pointer()), "refitter")
	if err != nil {
		return nil, err
	}
	defer refitter.Delete()
	parser, err := l.wrap(C.trt_create_parser_refitter(l.c, refitter.p, l.logger.pointer()),
		"parser for refitting")
	if err != nil {
		return nil, err
	}
	defer C.IParserRefitter_deleteSelf(parser.major(), parser.p)
	ok := parse(model, path, func(data unsafe.Pointer, size C.size_t, path *C.char) bool {
		return bool(C.IParserRefitter_refitFromBytes(parser.major(), parser.p, data, size, path))
	})
	if !ok {
		return nil, first(l.parserErrors(C.IParserRefitter_getNbErrors(parser.major(), parser.p),
			func(i C.int32_t) unsafe.Pointer {
				return unsafe.Pointer(C.IParserRefitter_getError(parser.major(), parser.p, i))
			}))
	}
	if !bool(C.VRefitter_refitCudaEngine(refitter.major(), refitter.p)) {
		return missingWeights(refitter), errors.New("the engine rejects the model's weights")
	}
	return nil, nil
}

func missingWeights(refitter object) []string {
	n := C.VRefitter_getMissingWeights(refitter.major(), refitter.p, 0, nil)
	if n <= 0 {
		return nil
	}
	// The list is in C memory, because C writes pointers into it.
	list := (**C.char)(C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(list))
	C.VRefitter_getMissingWeights(refitter.major(), refitter.p, n, list)
	return goStrings(list, int(n))
}
