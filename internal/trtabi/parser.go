//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Parser fills a network from an ONNX model (nvonnxparser::IParser).
type Parser struct{ object }

// Parser makes a parser for a network. The network uses its memory: delete the parser last.
func (n Network) Parser() (Parser, error) {
	if n.l.c.create_parser == nil {
		return Parser{}, errors.New("TensorRT's ONNX parser (libnvonnxparser) is not open")
	}
	o, err := n.l.wrap(C.trt_create_parser(n.l.c, n.p, n.l.logger.pointer()), "ONNX parser")
	return Parser{o}, err
}

// Delete destroys the parser, whose destructor lies among its methods.
func (p *Parser) Delete() {
	if p.p != nil {
		C.IParser_deleteSelf(p.major(), p.p)
	}
	p.p = nil
}

// SetFlag sets a flag: an index of [ParserFlags].
func (p Parser) SetFlag(flag int) { C.IParser_setFlag(p.major(), p.p, C.int32_t(flag)) }

// ClearFlag clears a flag, such as NATIVE_INSTANCENORM, which is set at first.
func (p Parser) ClearFlag(flag int) { C.IParser_clearFlag(p.major(), p.p, C.int32_t(flag)) }

// Parse reads a model; path is where it came from, for its external data, or "".
func (p Parser) Parse(model []byte, path string) error {
	ok := parse(model, path, func(data unsafe.Pointer, size C.size_t, path *C.char) bool {
		return bool(C.IParser_parse(p.major(), p.p, data, size, path))
	})
	if ok {
		return nil
	}
	return p.l.parserErrors(int(C.IParser_getNbErrors(p.major(), p.p)),
		func(i C.int32_t) unsafe.Pointer {
			return unsafe.Pointer(C.IParser_getError(p.major(), p.p, i))
		})
}

// PluginLibraries is the plugin libraries that a version-compatible engine of the model needs.
func (p Parser) PluginLibraries() []string {
	var n C.int64_t
	paths := C.IParser_getUsedVCPluginLibraries(p.major(), p.p, &n)
	if paths == nil || n <= 0 {
		return nil
	}
	libraries := make([]string, n)
	for i, path := range unsafe.Slice(paths, n) {
		libraries[i] = C.GoString(path)
	}
	return libraries
}

func parse(model []byte, path string, f func(unsafe.Pointer, C.size_t, *C.char) bool) bool {
	var name *C.char
	if path != "" {
		name = C.CString(path)
		defer C.free(unsafe.Pointer(name))
	}
	return f(unsafe.Pointer(unsafe.SliceData(model)), C.size_t(len(model)), name)
}

func (l *Library) parserErrors(n int, at func(C.int32_t) unsafe.Pointer) error {
	if n == 0 {
		return &ParserError{Text: "it gives no reason"}
	}
	e, major := at(0), C.int(l.c.major)
	return &ParserError{
		Code:     int(C.IParserError_code(major, e)),
		Text:     C.GoString(C.IParserError_desc(major, e)),
		Node:     C.GoString(C.IParserError_nodeName(major, e)),
		Operator: C.GoString(C.IParserError_nodeOperator(major, e)),
		More:     n - 1,
	}
}
