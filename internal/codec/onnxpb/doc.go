// Package onnxpb reads the protobuf messages in which ONNX stores values, as in the .pb files of
// its test data: TensorProto, SequenceProto and OptionalProto of onnx.proto
// (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). It also writes TensorProto. It uses no
// generated code, because two generated copies of onnx.proto in one program panic.
//
// A .pb file does not say which message it contains; the model's declaration does.
//
// Messages are not trusted: every error names the byte offset, a large shape alone never causes
// memory to be allocated, and nesting is limited.
package onnxpb
