// Package genai is the room where ONNX Runtime GenAI's shared library is touched: the one of its
// Python wheel, whose plain C API is opened at run time. Symbols are looked up by name, and nothing
// of it is needed to build.
//
// The library runs its models in an ONNX Runtime that it opens itself, and takes one that the
// process has open already. So package backends/ort starts ONNX Runtime first, and both run on the
// same library.
//
// A [Model] is a network with its configuration; a [Generator] is one sequence with its cache in
// it. Its interface is not safe for concurrent use, so a Model takes one call at a time.
package genai
