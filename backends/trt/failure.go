//go:build linux && cgo

package trt

import "sync"

// failure stores the first error that occurs in the calls that TensorRT makes to this package from
// its own threads, because such a call cannot return an error.
type failure struct {
	mu  sync.Mutex
	err error
}

// fail records err, unless it is nil or an earlier error is recorded.
func (f *failure) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

// failed returns the first error, or nil.
func (f *failure) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
