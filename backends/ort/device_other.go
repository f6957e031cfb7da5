//go:build !linux || !cgo

package ort

// device returns nil and leaves the check to ONNX Runtime, because CUDA is supported here only on
// Linux.
func device() error { return nil }
