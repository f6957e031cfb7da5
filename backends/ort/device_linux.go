//go:build cgo

package ort

import (
	"sync"

	"github.com/modelparity/modelparity/internal/cuda"
)

// device is why this machine has no GPU that CUDA can use, or nil. It is asked of the driver, once,
// because ONNX Runtime itself finds out only in the middle of making a session.
var device = sync.OnceValue(func() error {
	_, err := cuda.Open("")
	return err
})
