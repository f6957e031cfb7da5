package sessions

import (
	"sync"
	"sync/atomic"
)

// Lease is the right to use a session. It lasts until Return or Drop. It is safe for concurrent
// use.
type Lease struct {
	pool  *Pool
	entry *entry

	using    sync.RWMutex // read-locked by every use, write-locked by Return
	returned bool
	dropped  atomic.Bool // Drop was called: the last use returns the lease
}

// Session returns the leased session. Use it only between [Lease.Enter] and [Lease.Leave].
func (l *Lease) Session() Session { return l.entry.session }

// Share adds an owned session to the pool. The pool may then lend the session the given number of
// times; 0 means any number. If the pool already has a session with that key, Share does nothing.
func (l *Lease) Share(key Key, times int) {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[key] == nil {
		l.entry.key, l.entry.left = key, times
		l.pool.known[key] = l.entry
	}
}

// Enter begins a use of the session. It returns false if the lease was returned or dropped; in that
// case, do not call Leave.
func (l *Lease) Enter() bool {
	l.using.RLock()
	if l.returned || l.dropped.Load() {
		l.Leave()
		return false
	}
	return true
}

// Leave ends the use of the session that began with the matching Enter.
func (l *Lease) Leave() {
	l.using.RUnlock()
	if l.dropped.Load() {
		_ = l.Drop() // there is no caller to return the error to
	}
}

// Spoil marks the session as failed or interrupted, so that the pool does not lend it again.
func (l *Lease) Spoil() {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[l.entry.key] == l.entry {
		delete(l.pool.known, l.entry.key)
	}
}

// Return waits for the uses in progress and gives the session back to the pool. Returning twice is
// harmless.
func (l *Lease) Return() error {
	l.using.Lock()
	defer l.using.Unlock()
	return l.giveBack()
}

// Drop makes further uses fail and does not wait for the uses in progress. If no use is in
// progress, Drop gives the session back at once; otherwise, the last use does so when it ends. If
// Drop closes the session, it returns the error of Close.
func (l *Lease) Drop() error {
	l.dropped.Store(true)
	if !l.using.TryLock() {
		return nil // the last use gives it back
	}
	defer l.using.Unlock()
	return l.giveBack()
}

// giveBack gives the session back to the pool. The caller holds the lock for writing.
func (l *Lease) giveBack() error {
	if l.returned {
		return nil
	}
	l.returned = true
	return l.pool.giveBack(l.entry)
}
