package sessions

import (
	"sync"
	"sync/atomic"
)

// Lease is the right to use a session until it is returned. It is safe for concurrent use.
type Lease struct {
	pool  *Pool
	entry *entry

	using    sync.RWMutex // held for reading by every use, for writing by the return
	returned bool
	dropped  atomic.Bool // it is returned with the last use, if it was not before
}

// Session is what was lent. It is used between [Lease.Enter] and [Lease.Leave].
func (l *Lease) Session() Session { return l.entry.session }

// Share lends an owned session to others as well: so many times, or without end if times is 0. If
// there is one of that key already, it stays as it is.
func (l *Lease) Share(key Key, times int) {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[key] == nil {
		l.entry.key, l.entry.left = key, times
		l.pool.known[key] = l.entry
	}
}

// Enter begins a use of the session. It is false, and there is no use to end, once the lease was
// returned or dropped.
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
		_ = l.Drop() // nobody is there to hear of it
	}
}

// Spoil keeps the session from others: it failed, or was stopped halfway.
func (l *Lease) Spoil() {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[l.entry.key] == l.entry {
		delete(l.pool.known, l.entry.key)
	}
}

// Return gives the session back once the uses under way have ended. Returning twice is harmless.
func (l *Lease) Return() error {
	l.using.Lock()
	defer l.using.Unlock()
	return l.giveBack()
}

// Drop refuses further uses, and gives the session back with the last of those under way: at once
// where there is none. It does not wait. The error is that of closing a session at once.
func (l *Lease) Drop() error {
	l.dropped.Store(true)
	if !l.using.TryLock() {
		return nil // whoever uses it drops it
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
