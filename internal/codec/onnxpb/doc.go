// Package onnxpb reads and writes the protobuf messages that ONNX keeps values in, as in the .pb
// files of its test data: TensorProto, SequenceProto, OptionalProto and MapProto of onnx.proto
// (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), read off the wire without generated
// code. Two generated copies of onnx.proto in one program panic.
//
// A .pb file does not say which message it holds; the model's declaration does.
//
// Messages are taken for hostile: every error names the byte, nothing is allocated on the word of a
// shape alone, and values may nest only so deep.
package onnxpb
