//go:build cgo

package ort

import (
	"sync"

	"github.com/modelparity/modelparity/internal/cuda"
)

// device returns the reason why CUDA can use no GPU of this machine, or nil. It asks the driver
// once, because ONNX Runtime would only notice while it creates a session.
var device = sync.OnceValue(func() error {
	_, err := cuda.Open("")
	return err
})
