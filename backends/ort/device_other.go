//go:build !linux || !cgo

package ort

// device returns nil: ONNX Runtime has to answer, and only its Linux builds are supported with CUDA
// here.
func device() error { return nil }
