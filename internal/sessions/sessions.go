// Package sessions keeps the sessions that engines create for models, so that a later run of the
// same model can reuse one. A pool owns all sessions that it lends. It closes an unused session if
// the pool's limits are exceeded, or if the session is spoiled, has been lent as often as allowed,
// or was idle for too long.
package sessions

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Session is a model that an engine has prepared.
type Session interface {
	// Close frees the session.
	Close() error
	// Memory returns the number of bytes that the session holds between runs. If it returns an
	// error, the session is closed as soon as it is unused.
	Memory() (int64, error)
}

// Key identifies the model, the engine and the options for which a session was created. Sessions
// with equal keys give equal results.
type Key struct {
	Engine string // the engine with its version and options
	Size   int64  // of the model in bytes; cheap to compare
	Model  string // the model's SHA-256
}

// Limits bounds the idle sessions that a pool keeps.
type Limits struct {
	Sessions int           // number of sessions
	Bytes    int64         // total memory
	For      time.Duration // idle time per session
}

// Pool is a set of sessions that can be shared. It is safe for concurrent use.
type Pool struct {
	off    atomic.Bool
	mutex  sync.Mutex
	limits Limits
	known  map[Key]*entry
	idle   []*entry // the session that is idle longest comes first
	timer  *time.Timer
	made   int
	lent   int
}

// entry is a session in a pool, with the number of its users.
type entry struct {
	key     Key
	session Session
	users   int
	left    int // how many times it may still be lent; any number if 0 or less
	bytes   int64
	since   time.Time // start of the idle time
}

// New returns an empty pool.
func New(limits Limits) *Pool { return &Pool{limits: limits, known: map[Key]*entry{}} }

// Own returns a lease of a new session. The session is closed when the lease is returned, unless
// [Lease.Share] is called.
func (p *Pool) Own(s Session) *Lease {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made++
	return &Lease{pool: p, entry: &entry{session: s, users: 1}}
}

// Knows reports whether the pool has a session for a model with the key's size. If not, the model's
// checksum need not be computed.
func (p *Pool) Knows(key Key) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for known := range p.known {
		if known.Engine == key.Engine && known.Size == key.Size {
			return true
		}
	}
	return false
}

// Borrow returns a lease of the session with the key, or nil if the pool has none to lend.
func (p *Pool) Borrow(key Key) *Lease {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	e := p.known[key]
	if e == nil {
		return nil
	}
	if e.left--; e.left == 0 {
		delete(p.known, key)
	}
	e.users++
	p.lent++
	p.idle = slices.DeleteFunc(p.idle, func(other *entry) bool { return other == e })
	return &Lease{pool: p, entry: e}
}

// giveBack ends one user's use of a session.
func (p *Pool) giveBack(e *entry) error {
	p.mutex.Lock()
	e.users--
	if e.users > 0 {
		p.mutex.Unlock()
		return nil
	}
	if p.known[e.key] != e {
		p.mutex.Unlock()
		return e.session.Close()
	}
	var err error
	if e.bytes, err = e.session.Memory(); err != nil || e.bytes > p.limits.Bytes {
		delete(p.known, e.key)
		p.mutex.Unlock()
		return e.session.Close()
	}
	e.since = time.Now()
	p.idle = append(p.idle, e)
	superfluous := p.take(p.excess())
	p.watch()
	p.mutex.Unlock()
	return closeAll(superfluous)
}

// excess returns the number of idle sessions that must be closed to meet the limits.
func (p *Pool) excess() int {
	var bytes int64
	for i := range p.idle {
		newer := p.idle[len(p.idle)-1-i]
		if bytes += newer.bytes; i == p.limits.Sessions || bytes > p.limits.Bytes {
			return len(p.idle) - i
		}
	}
	return 0
}

// take removes the first n idle sessions from the pool and returns them.
func (p *Pool) take(n int) []*entry {
	taken := slices.Clone(p.idle[:n])
	p.idle = slices.Delete(p.idle, 0, n)
	for _, e := range taken {
		delete(p.known, e.key)
	}
	return taken
}

func closeAll(list []*entry) error {
	var wrong []error
	for _, e := range list {
		wrong = append(wrong, e.session.Close())
	}
	return errors.Join(wrong...)
}

// watch starts the timer that closes sessions that have been idle for too long.
func (p *Pool) watch() {
	if p.timer == nil && len(p.idle) > 0 {
		p.timer = time.AfterFunc(p.limits.For-time.Since(p.idle[0].since), p.sweep)
	}
}

func (p *Pool) sweep() {
	p.mutex.Lock()
	old := 0
	for old < len(p.idle) && time.Since(p.idle[old].since) >= p.limits.For {
		old++
	}
	taken := p.take(old)
	p.timer = nil
	p.watch()
	p.mutex.Unlock()
	_ = closeAll(taken) // there is no caller to return the error to
}

// Empty closes all idle sessions.
func (p *Pool) Empty() error {
	p.mutex.Lock()
	taken := p.take(len(p.idle))
	p.mutex.Unlock()
	return closeAll(taken)
}

// Stats counts the sessions that a pool has had and the idle sessions that it keeps.
type Stats struct {
	Made      int // sessions that were created for the pool
	Lent      int // how many times a session was reused
	Idle      int
	IdleBytes int64
}

// Stats returns the pool's statistics.
func (p *Pool) Stats() Stats {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	s := Stats{Made: p.made, Lent: p.lent, Idle: len(p.idle)}
	for _, e := range p.idle {
		s.IdleBytes += e.bytes
	}
	return s
}
