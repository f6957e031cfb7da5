//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import "unsafe"

// Parser fills a network from an ONNX model (nvonnxparser::IParser).
type Parser struct{ object }

// Parser creates a parser for a network. The network uses the parser's memory, so delete the parser
// after the network.
func (n Network) Parser() (Parser, error) {
	o, err := n.l.wrap(C.trt_create_parser(n.l.c, n.p, n.l.logger.pointer()), "ONNX parser")
	return Parser{o}, err
}

// Delete destroys the parser. A parser needs its own Delete, because its destructor is one of its
// virtual methods, unlike the destructor of other objects.
func (p *Parser) Delete() {
	if p.p != nil {
		C.IParser_deleteSelf(p.major(), p.p)
	}
	p.p = nil
}

// SetFlag sets a flag. flag is an index into [ParserFlags].
func (p Parser) SetFlag(flag int) { C.IParser_setFlag(p.major(), p.p, C.int32_t(flag)) }

// ClearFlag clears a flag, for example NATIVE_INSTANCENORM, which is set by default.
func (p Parser) ClearFlag(flag int) { C.IParser_clearFlag(p.major(), p.p, C.int32_t(flag)) }

// Parse parses a model. path is the model's file, or "" if it has none; external data is found next
// to that file.
func (p Parser) Parse(model []byte, path string) error {
	ok := parse(model, path, func(data unsafe.Pointer, size C.size_t, path *C.char) bool {
		return bool(C.IParser_parse(p.major(), p.p, data, size, path))
	})
	if ok {
		return nil
	}
	return first(p.Errors())
}

// Errors returns all errors of the parser.
func (p Parser) Errors() []*ParserError {
	return p.l.parserErrors(C.IParser_getNbErrors(p.major(), p.p),
		func(i C.int32_t) unsafe.Pointer {
			return unsafe.Pointer(C.IParser_getError(p.major(), p.p, i))
		})
}

// Supported reports whether the parser supports the whole model, and returns the parts of the model
// that it supports or rejects. There may be no parts if the model is fully supported, and there are
// none if the model cannot be read. TensorRT 10.0 lacks this method; the error is then an [Absent].
func (p Parser) Supported(model []byte, path string) (whole bool, parts []Subgraph, err error) {
	slots := make([]C.trt_slot, 4)
	for i, row := range []C.int{C.trt_IParser_supportsModelV2, C.trt_IParser_getNbSubgraphs,
		C.trt_IParser_isSubgraphSupported, C.trt_IParser_getSubgraphNodes} {
		if slots[i], err = p.l.slot(row); err != nil {
			return false, nil, err
		}
	}
	whole = parse(model, path, func(data unsafe.Pointer, size C.size_t, path *C.char) bool {
		return bool(C.IParser_supportsModelV2(slots[0], p.p, data, size, path))
	})
	parts = make([]Subgraph, int(C.IParser_getNbSubgraphs(slots[1], p.p)))
	for i := range parts {
		parts[i].Supported = bool(C.IParser_isSubgraphSupported(slots[2], p.p, C.int64_t(i)))
		var n C.int64_t
		nodes := C.IParser_getSubgraphNodes(slots[3], p.p, C.int64_t(i), &n)
		if nodes == nil || n <= 0 {
			continue
		}
		for _, node := range unsafe.Slice(nodes, n) {
			parts[i].Nodes = append(parts[i].Nodes, int(node))
		}
	}
	return whole, parts, nil
}

// Subgraph is a set of a model's nodes, given by their indices, which the parser supports or
// rejects as a whole.
type Subgraph struct {
	Nodes     []int
	Supported bool
}

// PluginLibraries returns the plugin libraries that the model needs in a version-compatible engine.
func (p Parser) PluginLibraries() []string {
	var n C.int64_t
	paths := C.IParser_getUsedVCPluginLibraries(p.major(), p.p, &n)
	return goStrings(paths, int(n))
}

func parse(model []byte, path string, f func(unsafe.Pointer, C.size_t, *C.char) bool) bool {
	var name *C.char
	if path != "" {
		name = C.CString(path)
		defer C.free(unsafe.Pointer(name))
	}
	return f(unsafe.Pointer(unsafe.SliceData(model)), C.size_t(len(model)), name)
}

// first returns the first of a parser's errors. Its More is the number of the other errors.
func first(all []*ParserError) error {
	if len(all) == 0 {
		return &ParserError{Index: -1, Text: "no reason given"}
	}
	all[0].More = len(all) - 1
	return all[0]
}

func (l *Library) parserErrors(n C.int32_t, at func(C.int32_t) unsafe.Pointer) []*ParserError {
	all, major := make([]*ParserError, n), C.int(l.c.major)
	for i := range n {
		e := at(i)
		all[i] = &ParserError{
			Text:     C.GoString(C.IParserError_desc(major, e)),
			Index:    int(C.IParserError_node(major, e)),
			Node:     C.GoString(C.IParserError_nodeName(major, e)),
			Operator: C.GoString(C.IParserError_nodeOperator(major, e)),
			Functions: goStrings(C.IParserError_localFunctionStack(major, e),
				int(C.IParserError_localFunctionStackSize(major, e))),
		}
	}
	return all
}
