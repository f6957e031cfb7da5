package sessions

import (
	"sync"
	"sync/atomic"
)

// Lease is the right to use a session until the lease is returned. It is safe for concurrent use.
type Lease struct {
	pool  *Pool
	entry *entry

	using    sync.RWMutex // read-locked by every use, write-locked by the return
	returned bool
	dropped  atomic.Bool // the last use returns it
}

// Session returns the leased session. Use it only between [Lease.Enter] and [Lease.Leave].
func (l *Lease) Session() Session { return l.entry.session }

// Share adds an owned session to the pool, to be lent the given number of times; 0 means no limit.
// If the pool has a session of that key, nothing changes.
func (l *Lease) Share(key Key, times int) {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[key] == nil {
		l.entry.key, l.entry.left = key, times
		l.pool.known[key] = l.entry
	}
}

// Enter begins a use of the session. It returns false if the lease was returned or dropped; then do
// not call Leave.
func (l *Lease) Enter() bool {
	l.using.RLock()
	if l.returned || l.dropped.Load() {
		l.Leave()
		return false
	}
	return true
}

// Leave ends a use of the session.
func (l *Lease) Leave() {
	l.using.RUnlock()
	if l.dropped.Load() {
		_ = l.Drop() // no caller can receive the error
	}
}

// Spoil keeps the pool from lending the session again, because it failed or was interrupted.
func (l *Lease) Spoil() {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[l.entry.key] == l.entry {
		delete(l.pool.known, l.entry.key)
	}
}

// Return waits for the uses in progress and gives the session back. Returning twice is harmless.
func (l *Lease) Return() error {
	l.using.Lock()
	defer l.using.Unlock()
	return l.giveBack()
}

// Drop rejects further uses and does not wait. It gives the session back at once if there are no
// uses in progress, and otherwise when the last one ends. The error is from closing the session at
// once.
func (l *Lease) Drop() error {
	l.dropped.Store(true)
	if !l.using.TryLock() {
		return nil // the last use gives it back
	}
	defer l.using.Unlock()
	return l.giveBack()
}

// giveBack is called with the lock held for writing.
func (l *Lease) giveBack() error {
	if l.returned {
		return nil
	}
	l.returned = true
	return l.pool.giveBack(l.entry)
}
