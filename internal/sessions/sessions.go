// Package sessions keeps the sessions that engines make of models, so that another run of the same
// model can reuse one. A pool owns all sessions that it lends. It closes an unused session that
// exceeds the pool's limits, is spoiled, was lent often enough, or was idle for too long.
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
	// Close frees it.
	Close() error
	// Memory returns how many bytes the session holds between runs. A session that cannot tell is
	// not kept idle.
	Memory() (int64, error)
}

// Key identifies what a session was made of. Sessions with equal keys give equal results.
type Key struct {
	Engine string // with its version and options
	Size   int64  // of the model in bytes, which excludes most other models
	Model  string // the SHA-256 of the model
}

// Limits bound the idle sessions that a pool keeps.
type Limits struct {
	Sessions int           // number of sessions
	Bytes    int64         // total memory
	For      time.Duration // idle time of each
}

// Pool is a set of shared sessions. It is safe for concurrent use.
type Pool struct {
	off    atomic.Bool
	mutex  sync.Mutex
	limits Limits
	known  map[Key]*entry
	idle   []*entry // longest idle first
	timer  *time.Timer
	made   int
	lent   int
}

// entry is a session and its users.
type entry struct {
	key     Key
	session Session
	users   int
	left    int // how often it may still be lent; no limit if 0 or less
	bytes   int64
	since   time.Time // start of the idle time
}

// New returns an empty pool.
func New(limits Limits) *Pool { return &Pool{limits: limits, known: map[Key]*entry{}} }

// Own returns the lease of a session that was just made. The pool closes the session with the lease
// unless [Lease.Share] is called.
func (p *Pool) Own(s Session) *Lease {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made++
	return &Lease{pool: p, entry: &entry{session: s, users: 1}}
}

// Knows reports whether the pool has a session for a model of the key's size. Only then is the
// model's checksum needed.
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

// Borrow returns a lease of the session with the key, or nil if there is none.
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

// giveBack ends one use of a session.
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

// excess returns how many idle sessions exceed the limits.
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

// take removes the first n idle sessions from the pool.
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

// watch closes sessions that have been idle for too long.
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
	_ = closeAll(taken) // no caller can receive the error
}

// Empty closes the idle sessions.
func (p *Pool) Empty() error {
	p.mutex.Lock()
	taken := p.take(len(p.idle))
	p.mutex.Unlock()
	return closeAll(taken)
}

// Stats counts what a pool has done and what it keeps.
type Stats struct {
	Made      int // sessions that the pool was given
	Lent      int // how often one was lent again
	Idle      int
	IdleBytes int64
}

// Stats returns what the pool has done so far.
func (p *Pool) Stats() Stats {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	s := Stats{Made: p.made, Lent: p.lent, Idle: len(p.idle)}
	for _, e := range p.idle {
		s.IdleBytes += e.bytes
	}
	return s
}
