// Package genai contains all calls to ONNX Runtime GenAI's shared library, which has a C API and is
// published in a Python wheel. The library is opened at run time and its functions are looked up by
// name, so builds do not need it.
//
// The library opens an ONNX Runtime for its models, unless one is already open in the process.
// Package backends/ort therefore starts ONNX Runtime first, so that both packages use the same ONNX
// Runtime.
//
// A [Model] is a network with its configuration; a [Generator] is one sequence of tokens with its
// cache. The library is not safe for concurrent use, so a Model makes one call at a time.
package genai
