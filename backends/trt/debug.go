//go:build linux && cgo

package trt

import (
	"fmt"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// debugs reports whether debug tensors are safe in a version of TensorRT. TensorRT 10.12
// introduced marking all tensors as debug tensors. Earlier builders reject some debug tensors and
// crash on others. For example, 10.6 crashes on 4 of 16 tensors of a small convolutional network,
// even from NVIDIA's own Python bindings.
func debugs(v trtabi.Version) bool { return v.Major > 10 || v.Minor >= 12 }

// listener collects the debug tensors that TensorRT passes to it during an inference.
type listener struct {
	backend  *backend
	names    []string
	unfused  bool
	callback *trtabi.Callback

	mu    sync.Mutex
	heard []tensor.Entry // in the order of their computation
}

// attach makes TensorRT report the debug tensors.
func (l *listener) attach() error {
	l.callback = l.backend.library.Listener(l)
	if !l.backend.context.SetListener(l.callback) {
		return fmt.Errorf("TensorRT rejects the debug listener")
	}
	for _, name := range l.names {
		if !l.backend.context.Debug(name) {
			return fmt.Errorf("the engine has no debug tensor %q", name)
		}
	}
	if l.unfused {
		return l.backend.context.DebugUnfused()
	}
	return nil
}

// DebugTensor copies a tensor's values. TensorRT calls it while the values are valid.
func (l *listener) DebugTensor(name string, number trtabi.DataType, shape []int, address uintptr,
	onHost bool) bool {
	t, err := l.copy(number, shape, address, onHost)
	if err != nil {
		l.callback.Fail(fmt.Errorf("debug tensor %q: %w", name, err))
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, entry := range l.heard { // reported again in a loop: the last value counts
		if entry.Name == name {
			l.heard[i].Tensor = t
			return true
		}
	}
	l.heard = append(l.heard, tensor.Entry{Name: name, Tensor: t})
	return true
}

func (l *listener) copy(number trtabi.DataType, shape tensor.Shape, address uintptr,
	onHost bool) (*tensor.Tensor, error) {
	elem, err := elementType(number)
	if err != nil {
		return nil, err
	}
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	data := make([]byte, elem.Bytes(n))
	if onHost {
		trtabi.ReadHost(data, address)
	} else if err := l.backend.stream.ReadAt(data, address); err != nil {
		return nil, err
	}
	return tensor.FromBytes(elem, shape, data)
}

// take returns the tensors reported since the last call. A missing debug tensor is an error,
// because a comparison must not treat its absence as agreement.
func (l *listener) take() ([]tensor.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := l.heard
	l.heard = nil
	for _, name := range l.names {
		if !slices.ContainsFunc(heard, func(e tensor.Entry) bool { return e.Name == name }) {
			return nil, fmt.Errorf("TensorRT did not report debug tensor %q", name)
		}
	}
	return heard, nil
}
