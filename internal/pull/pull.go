// Package pull turns an iterator into a function that returns one pair per call. It replaces
// [iter.Pull2], which the runtime does not allow for goroutines locked to different threads, such
// as callbacks of C libraries.
package pull

import (
	"iter"
	"runtime"
)

// given is one pair from the iterator, or the panic that ended the iterator.
type given[K, V any] struct {
	key      K
	value    V
	broken   bool
	panicked any // nil if the iterator returned normally
}

// Pull runs the iterator in a goroutine that advances only during calls of next, each of which
// returns one pair. If the iterator panics, next panics with the same value. The goroutine ends
// after the last pair, or when stop is called; stop waits until it has ended. next and stop must
// not be called concurrently.
func Pull[K, V any](all iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	asks, answers := make(chan struct{}), make(chan given[K, V])
	go func() {
		defer close(answers)
		if _, asked := <-asks; !asked {
			return
		}
		whole := false
		defer func() {
			if !whole {
				answers <- given[K, V]{broken: true, panicked: recover()}
			}
		}()
		for k, v := range all {
			answers <- given[K, V]{key: k, value: v}
			if _, asked := <-asks; !asked {
				break
			}
		}
		whole = true
	}()
	ended := false
	next = func() (k K, v V, more bool) {
		if ended {
			return k, v, false
		}
		asks <- struct{}{}
		answer, more := <-answers
		ended = !more || answer.broken
		switch {
		case answer.panicked != nil:
			panic(answer.panicked)
		case answer.broken:
			runtime.Goexit()
		}
		return answer.key, answer.value, more
	}
	stop = func() {
		if !ended {
			ended = true
			close(asks)
			for range answers { // ignore a panic while the iterator ends
			}
		}
	}
	return next, stop
}
