//go:build !linux || !cgo

package ort

// device leaves the answer to ONNX Runtime, whose CUDA providers exist for Linux alone here.
func device() error { return nil }
