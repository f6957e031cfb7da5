//go:build !linux || !cgo

package ort

// device returns nil, because this package can ask CUDA's driver only on Linux. On other systems
// ONNX Runtime reports a missing GPU.
func device() error { return nil }
