package sessions

import "sync"

// Lease is the right to use a session until it is returned. It is safe for concurrent use.
type Lease struct {
	pool  *Pool
	entry *entry

	using    sync.RWMutex // held for reading by every use, for writing by Return
	returned bool
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
// returned.
func (l *Lease) Enter() bool {
	l.using.RLock()
	if l.returned {
		l.using.RUnlock()
		return false
	}
	return true
}

// Leave ends a use of the session.
func (l *Lease) Leave() { l.using.RUnlock() }

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
	if l.returned {
		return nil
	}
	l.returned = true
	return l.pool.giveBack(l.entry)
}
