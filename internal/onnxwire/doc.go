// Package onnxwire reads and edits ONNX models on the protobuf wire. It decodes the structure (the
// graph's nodes, names and types) and never the weights: a tensor's data is a [Span] of the file.
//
// It takes the place of code generated from onnx.proto, because two generated copies of that file
// in one binary panic at start-up, and because decoding a 1.9 GB model takes seconds that scanning
// it does not. Field numbers are those of onnx.proto 1.22, IR version 13.
//
// Files are hostile until scanned: nesting is bounded, allocation is bounded by a small multiple of
// the file's size, and every error says at which byte it stands.
package onnxwire
