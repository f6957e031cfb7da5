// Package genai contains all calls to ONNX Runtime GenAI's shared library, which is part of its
// Python wheel and has a plain C API. It is opened at run time and symbols are looked up by name,
// so nothing of it is needed to build.
//
// The library opens an ONNX Runtime for its models, or uses one that is already open in the
// process. So package backends/ort starts ONNX Runtime first, and both use the same library.
//
// A [Model] is a network with its configuration; a [Generator] is one sequence with its cache. The
// library's interface is not safe for concurrent use, so a Model makes one call at a time.
package genai
