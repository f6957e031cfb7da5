//go:build cgo

package ort

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/gpuqueue"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// device returns why CUDA can use no GPU of this machine, or nil. It asks the driver, once, because
// ONNX Runtime itself finds out only while it creates a session.
var device = sync.OnceValue(func() error {
	_, err := cuda.Open("")
	return err
})

// queue waits until this process may use the GPU that a provider runs on, where processes take
// turns. Without one the place is nil.
func (s *settings) queue(ctx context.Context) (*gpuqueue.Place, error) {
	for _, name := range s.Providers {
		if !gpuqueue.On() || name != onnxruntime.CUDA && name != onnxruntime.TensorRT {
			continue
		}
		ordinal := 0
		if text := s.ProviderOptions[name]["device_id"]; text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("device_id=%s of %s is not a number", text, name)
			}
			ordinal = n
		}
		total, err := memoryOf(ordinal)
		if err != nil {
			return nil, err
		}
		return gpuqueue.Take(ctx, gpuqueue.Name(ordinal), total)
	}
	return nil, nil
}

// memoryOf is how much memory a GPU has.
func memoryOf(ordinal int) (int64, error) {
	driver, err := cuda.Open("")
	if err != nil {
		return 0, err
	}
	device, err := driver.Device(ordinal)
	if err != nil {
		return 0, err
	}
	_, total, err := device.Memory()
	return total, err
}
