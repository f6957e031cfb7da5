//go:build !linux || !cgo

package ort

// device returns nil: CUDA is supported here only on Linux, so the check is left to ONNX Runtime.
func device() error { return nil }
