//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/modelparity/modelparity/internal/names"
)

// Refit gives the engine the weights of an ONNX model that has the same structure. After an error,
// the engine may have some of them.
func (e Engine) Refit(model []byte, path string) error {
	l := e.l
	refitter, err := l.wrap(C.trt_create_refitter(l.c, e.p, l.logger.pointer()), "refitter")
	if err != nil {
		return err
	}
	defer refitter.Delete()
	parser, err := l.wrap(C.trt_create_parser_refitter(l.c, refitter.p, l.logger.pointer()),
		"parser for refitting")
	if err != nil {
		return err
	}
	defer C.IParserRefitter_deleteSelf(parser.major(), parser.p)
	ok := parse(model, path, func(data unsafe.Pointer, size C.size_t, path *C.char) bool {
		return bool(C.IParserRefitter_refitFromBytes(parser.major(), parser.p, data, size, path))
	})
	if !ok {
		return first(l.parserErrors(C.IParserRefitter_getNbErrors(parser.major(), parser.p),
			func(i C.int32_t) unsafe.Pointer {
				return unsafe.Pointer(C.IParserRefitter_getError(parser.major(), parser.p, i))
			}))
	}
	if !bool(C.VRefitter_refitCudaEngine(refitter.major(), refitter.p)) {
		err = errors.New("the engine rejects the model's weights")
		if lacking := missingWeights(refitter); len(lacking) > 0 {
			err = fmt.Errorf("%w: it lacks %s", err, names.Join(lacking))
		}
		return err
	}
	return nil
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
