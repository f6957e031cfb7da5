package trt

import (
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// pulled is one iteration of inputs, or what its iterator panicked with.
type pulled struct {
	set      *tensor.Set
	err      error
	panicked any
}

// pull iterates over inputs one call at a time, in a goroutine of its own. It stands in for
// iter.Pull2, which the runtime does not let a C library's callback use. The goroutine ends after
// next's last value or after stop. next repeats a panic of the iterator.
func pull(inputs fixtures.Inputs) (next func() (*tensor.Set, error, bool), stop func()) {
	values, done, ended := make(chan pulled), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(values)
		defer func() {
			if value := recover(); value != nil {
				select {
				case values <- pulled{panicked: value}:
				case <-done:
				}
			}
		}()
		select {
		case values <- pulled{}: // waits for the first call
		case <-done:
			return
		}
		for set, err := range inputs.All() {
			select {
			case values <- pulled{set: set, err: err}:
			case <-done:
				return
			}
		}
	}()
	started := false
	next = func() (*tensor.Set, error, bool) {
		if !started {
			<-values
			started = true
		}
		value, more := <-values
		if value.panicked != nil {
			panic(value.panicked)
		}
		return value.set, value.err, more
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			close(done)
			<-ended
		}
	}
	return next, stop
}
