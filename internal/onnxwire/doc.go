// Package onnxwire reads and edits ONNX models in protobuf's wire format. It decodes the structure
// (the graph's nodes, names and types) but never the weights: a tensor's data is a [Span] of the
// file.
//
// It is used instead of code generated from onnx.proto for two reasons: two generated copies of
// that file in one binary panic at start-up, and decoding a 1.9 GB model would take seconds, but
// scanning does not. Field numbers are from onnx.proto 1.22, IR version 13.
//
// Files are untrusted until they have been scanned: nesting is limited, allocation is limited to a
// small multiple of the file's size, and every error contains the byte offset.
package onnxwire
