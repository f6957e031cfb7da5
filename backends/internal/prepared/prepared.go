// Package prepared caches the results of preparing a model for an engine, such as compiled models,
// by the shapes of the inputs.
package prepared

import (
	"context"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/inuse"
)

// most is the largest number of results that [Models] keeps.
const most = 8

// Models is one model, prepared for several sets of input shapes. It is safe for concurrent use.
type Models[M interface{ Close() }] struct {
	// Preparing counts the preparations in progress. Its function Free frees the data that
	// preparations read, once no more preparations can start and the last one has ended.
	Preparing inuse.Guard

	mu     sync.Mutex
	recent []*result[M] // the most recently used last
}

type result[M interface{ Close() }] struct {
	key   string
	ready chan struct{} // closed once the next two fields are set
	model M
	err   error
}

// Get returns the result for the key, and calls prepare to compute it if there is none. If there
// are then too many results, Get drops the least recently used one. If ctx ends, Get returns at
// once; prepare continues in the background, and its result is kept. After Close, the error is
// [backends.ErrClosed].
func (m *Models[M]) Get(ctx context.Context, key string, prepare func() (M, error)) (M, error) {
	r, err := m.find(key, prepare)
	if err != nil {
		var none M
		return none, err
	}
	select {
	case <-r.ready:
		return r.model, r.err
	case <-ctx.Done():
		var none M
		return none, context.Cause(ctx)
	}
}

// find returns the result for the key, which may not be ready yet.
func (m *Models[M]) find(key string, prepare func() (M, error)) (*result[M], error) {
	m.mu.Lock()
	if i := slices.IndexFunc(m.recent, func(r *result[M]) bool { return r.key == key }); i >= 0 {
		defer m.mu.Unlock()
		r := m.recent[i]
		m.recent = append(slices.Delete(m.recent, i, i+1), r)
		return r, nil
	}
	if !m.Preparing.Enter() {
		m.mu.Unlock()
		return nil, backends.ErrClosed
	}
	r := &result[M]{key: key, ready: make(chan struct{})}
	m.recent = append(m.recent, r)
	if len(m.recent) > most {
		m.recent[0].drop()
		m.recent = slices.Delete(m.recent, 0, 1)
	}
	m.mu.Unlock()
	go func() {
		defer m.Preparing.Leave()
		defer close(r.ready)
		r.model, r.err = prepare()
	}()
	return r, nil
}

// Close closes every result. It does not wait for preparations in progress: their results are
// closed once they are ready. Closing twice is harmless.
func (m *Models[M]) Close() error {
	err := m.Preparing.Close()
	m.mu.Lock()
	recent := m.recent
	m.recent = nil
	m.mu.Unlock()
	for _, r := range recent {
		r.drop()
	}
	return err
}

// drop closes the result, in the background if it is not ready.
func (r *result[M]) drop() {
	free := func() {
		<-r.ready
		if r.err == nil {
			r.model.Close()
		}
	}
	select {
	case <-r.ready:
		free()
	default:
		go free()
	}
}
