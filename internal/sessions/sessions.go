// Package sessions keeps what engines made of models, so that a further run of the same model need
// not make it again. A pool is the one owner of all that is lent from it: a session is closed once
// nobody uses it and it does not fit the pool's limits, is spoiled, was lent often enough, or was
// idle for too long.
package sessions

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Session is a model that an engine made ready.
type Session interface {
	// Close frees it.
	Close() error
	// Memory is how many bytes it holds, without what is being run. A session that cannot tell is not
	// kept idle.
	Memory() (int64, error)
}

// Key says what a session was made of. Sessions of equal keys run alike.
type Key struct {
	Engine string // with its version and all that it was opened with
	Size   int64  // of the model in bytes, by which most other models are told apart
	Model  string // the SHA-256 of the model
}

// Limits bound what a pool keeps while nobody uses it.
type Limits struct {
	Sessions int           // so many
	Bytes    int64         // all together
	For      time.Duration // each
}

// Pool is sessions that are shared. It is safe for concurrent use.
type Pool struct {
	off    atomic.Bool
	mutex  sync.Mutex
	limits Limits
	known  map[Key]*entry
	idle   []*entry // the longest first
	timer  *time.Timer
	made   int
	lent   int
}

// entry is a session and who uses it.
type entry struct {
	key     Key
	session Session
	users   int
	left    int // how often it may be lent yet; 0 and below is without end
	bytes   int64
	since   time.Time // idle
}

// New returns an empty pool.
func New(limits Limits) *Pool { return &Pool{limits: limits, known: map[Key]*entry{}} }

// Own is the lease of a session that was just made, which the pool closes with the lease unless
// [Lease.Share] is called.
func (p *Pool) Own(s Session) *Lease {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made++
	return &Lease{pool: p, entry: &entry{session: s, users: 1}}
}

// Knows reports whether there is a session for a model of the key's size, whose checksum is then
// worth taking.
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

// Borrow returns a lease of the session with the key, or nil.
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

// excess is how many of the idle sessions are too many.
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

// take takes the first n idle sessions out of the pool.
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

// watch has the sessions closed that nobody comes for.
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
	_ = closeAll(taken) // nobody is there to hear of it
}

// Empty closes the idle sessions.
func (p *Pool) Empty() error {
	p.mutex.Lock()
	taken := p.take(len(p.idle))
	p.mutex.Unlock()
	return closeAll(taken)
}

// Stats is what a pool has done and what it keeps.
type Stats struct {
	Made      int // sessions that were given to the pool
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
