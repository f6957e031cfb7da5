// Package inuse frees a resource once it is closed and its last use has ended.
package inuse

import "sync"

// Guard counts how many uses of a resource are in progress. It is safe for concurrent use.
type Guard struct {
	// Free frees the resource. It is called once.
	Free func() error

	mu     sync.Mutex
	uses   int
	closed bool
}

// Enter begins a use. It returns false after Close; in that case, do not call Leave.
func (g *Guard) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.uses++
	}
	return !g.closed
}

// Leave ends a use. After Close, the last use to end frees the resource.
func (g *Guard) Leave() {
	g.mu.Lock()
	g.uses--
	last := g.closed && g.uses == 0
	g.mu.Unlock()
	if last {
		_ = g.Free() // there is no caller to return the error to
	}
}

// Close makes further uses fail. It does not wait for the uses in progress. If there are none,
// Close frees the resource and returns the error of Free. Closing twice is harmless.
func (g *Guard) Close() error {
	g.mu.Lock()
	now := !g.closed && g.uses == 0
	g.closed = true
	g.mu.Unlock()
	if now {
		return g.Free()
	}
	return nil
}
