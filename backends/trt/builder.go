//go:build linux && cgo

package trt

import (
	"sync"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// idle contains at most one unused builder per machine. TensorRT takes seconds to create a builder,
// because it loads a gigabyte of kernels. A suite that builds ten engines should wait for that only
// once.
var idle struct {
	mu       sync.Mutex
	builders map[machine]trtabi.Builder
}

// takeBuilder returns a builder that no other goroutine uses until giveBack is called. Call both
// functions on a thread that has the device's context.
func (m machine) takeBuilder() (builder trtabi.Builder, giveBack func(), err error) {
	idle.mu.Lock()
	builder, found := idle.builders[m]
	delete(idle.builders, m)
	idle.mu.Unlock()
	if !found {
		if builder, err = m.library.NewBuilder(); err != nil {
			return builder, nil, err
		}
	}
	return builder, func() {
		idle.mu.Lock()
		defer idle.mu.Unlock()
		if _, taken := idle.builders[m]; taken {
			builder.Delete() // one idle builder is enough; a concurrent build left it
			return
		}
		set(&idle.builders, m, builder)
	}, nil
}
