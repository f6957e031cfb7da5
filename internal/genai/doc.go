// Package genai contains all calls to ONNX Runtime GenAI's shared library, which is part of its
// Python wheel and has a plain C API. The library is opened at run time and its symbols are looked
// up by name, so a build needs no files of it.
//
// The library opens an ONNX Runtime for its models, unless one is already open in the process.
// Package backends/ort therefore starts ONNX Runtime first, so that both packages use the same ONNX
// Runtime.
//
// A [Model] is a network with its configuration; a [Generator] is one sequence with its cache. The
// library is not safe for concurrent use, so a Model makes one call at a time.
package genai
