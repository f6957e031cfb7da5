// Package onnxwire reads and edits ONNX models in protobuf's wire format. It decodes the structure
// (the graph's nodes, names and types) but never the weights: a tensor's data is a [Span] of the
// file.
//
// There are two reasons not to use code generated from onnx.proto: a binary with two generated
// copies of that file panics at start-up, and decoding a 1.9 GB model takes seconds, whereas
// scanning it does not. Field numbers are from onnx.proto 1.22, IR version 13.
//
// Files are untrusted until they have been scanned: nesting is limited, allocation is limited to a
// small multiple of the file's size, and every error contains the byte offset.
package onnxwire
