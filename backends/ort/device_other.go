//go:build !linux || !cgo

package ort

import (
	"context"

	"github.com/modelparity/modelparity/internal/gpuqueue"
)

// device returns nil: ONNX Runtime has to answer, and only its Linux builds are supported with CUDA
// here.
func device() error { return nil }

// queue waits for nothing, as no GPU is used here.
func (*settings) queue(context.Context) (*gpuqueue.Place, error) { return nil, nil }
