//go:build cgo

package ort

import (
	"sync"

	"github.com/modelparity/modelparity/internal/cuda"
)

// device returns the reason why CUDA cannot use a GPU on this machine, or nil if it can. It asks
// the driver once per process, because ONNX Runtime itself reports the problem only when it creates
// a session.
var device = sync.OnceValue(func() error {
	_, err := cuda.Open("")
	return err
})
