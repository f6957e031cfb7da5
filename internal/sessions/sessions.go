// Package sessions keeps the sessions that engines create for models, so that a later run of the
// same model can reuse one. A pool owns the sessions that it lends. It closes an unused session if
// it keeps too many, or if the session has been spoiled or lent as often as allowed.
package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/inuse"
	"github.com/modelparity/modelparity/internal/passing"
)

// Session is a model that an engine has prepared. Close frees it.
type Session = io.Closer

// Model is the model for which a session is created.
type Model interface {
	Size() (int64, error)
	SHA256() (string, error)
	DrawsNumbers() (bool, error)
}

const (
	mostIdle  = 8
	idleBytes = 128 << 20 // the size of the models of all idle sessions
	// mostUses is the maximum number of backends that use the same session, one after the other or
	// together. There is a limit because engines never free the kilobytes that each new combination
	// of input shapes takes.
	mostUses = 256
)

// key identifies the model, the engine and the options for which a session was created. Sessions
// with equal keys compute equal results.
type key struct {
	engine string // the engine with its version and options, and the environment variables
	size   int64  // of the model in bytes; cheap to compare
	model  string // the model's SHA-256
}

// Pool is a set of sessions that can be shared. It is safe for concurrent use.
type Pool struct {
	mutex sync.Mutex
	off   bool
	known map[key]*entry
	idle  []*entry // the session that is idle longest comes first
	made  int
}

// entry is a session in a pool, with the number of its users.
type entry struct {
	key     key
	session Session
	users   int
	lent    int // how often it has been lent
}

// New returns an empty pool.
func New() *Pool { return &Pool{known: map[key]*entry{}} }

// Shared is the pool that all engines in this process use.
var Shared = New()

// Off turns sharing off for the rest of the process.
func (p *Pool) Off() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.off = true
}

// Lease is the right to use a session until the lease is closed. A Lease is safe for concurrent
// use. Call [inuse.Guard.Enter] before each use of the session, and [inuse.Guard.Leave] after it.
// After Close, the session returns to the pool at the end of the last use.
type Lease struct {
	inuse.Guard
	pool  *Pool
	entry *entry
	model Model // nil if the session may not be lent
	key   key
}

// Open returns a lease of a session for the model: a session from the pool or, if the pool has
// none, a new one from create. engine is the engine's name with its version and options, or "" to
// share nothing. A new session is closed with the lease, unless [Lease.Lend] is called.
func (p *Pool) Open(ctx context.Context, engine string, model Model,
	create func() (Session, error)) (*Lease, error) {
	l := &Lease{pool: p}
	l.Free = func() error { return p.giveBack(l.entry) }
	if engine != "" && !p.isOff() {
		var err error
		l.model, l.key.engine = model, engine+" "+environment()
		if l.key.size, err = model.Size(); err != nil {
			return nil, err
		}
		if p.knows(l.key) {
			if l.key.model, err = model.SHA256(); err != nil {
				return nil, err
			}
			if l.entry = p.borrow(l.key); l.entry != nil {
				l.model = nil
				return l, nil
			}
		}
	}
	if passing.In(ctx) {
		l.model = nil
	}
	session, err := create()
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made++
	l.entry = &entry{session: session, users: 1}
	return l, nil
}

// Session returns the leased session.
func (l *Lease) Session() Session { return l.entry.session }

// Close ends the lease once the last use in progress has ended. A nil lease is closed already.
func (l *Lease) Close() error {
	if l == nil {
		return nil
	}
	return l.Guard.Close()
}

// Lend lets other backends use the session. It does nothing if the session may not be shared, if it
// comes from the pool, if the model draws random numbers, or if the pool already has a session for
// the model.
func (l *Lease) Lend() error {
	if l.model == nil {
		return nil
	}
	draws, err := l.model.DrawsNumbers()
	if err != nil || draws {
		return err
	}
	if l.key.model, err = l.model.SHA256(); err != nil {
		return err
	}
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[l.key] == nil {
		l.entry.key = l.key
		l.pool.known[l.key] = l.entry
	}
	return nil
}

// Spoil marks the session as failed or interrupted, so that the pool does not lend it again.
func (l *Lease) Spoil() {
	l.pool.mutex.Lock()
	defer l.pool.mutex.Unlock()
	if l.pool.known[l.entry.key] == l.entry {
		delete(l.pool.known, l.entry.key)
	}
}

func (p *Pool) isOff() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.off
}

// environment returns a checksum of the process's environment variables. A session is not reused
// after a variable has changed, because libraries read variables while they create a session.
func environment() string {
	sum := sha256.Sum256([]byte(strings.Join(os.Environ(), "\x00")))
	return hex.EncodeToString(sum[:8])
}

// knows reports whether the pool has a session for the key's engine and for a model of the key's
// size. If not, the caller need not compute the model's checksum, which takes long.
func (p *Pool) knows(k key) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for known := range p.known {
		if known.engine == k.engine && known.size == k.size {
			return true
		}
	}
	return false
}

// borrow returns the session with the key, or nil if the pool has none to lend.
func (p *Pool) borrow(k key) *entry {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	e := p.known[k]
	if e == nil {
		return nil
	}
	if e.lent++; e.lent == mostUses {
		delete(p.known, k)
	}
	e.users++
	p.idle = slices.DeleteFunc(p.idle, func(other *entry) bool { return other == e })
	return e
}

// giveBack ends one user's use of a session. If the limits require it, giveBack closes the session,
// or sessions that have been idle longer.
func (p *Pool) giveBack(e *entry) error {
	p.mutex.Lock()
	if e.users--; e.users > 0 {
		p.mutex.Unlock()
		return nil
	}
	if p.known[e.key] != e || e.key.size > idleBytes {
		if p.known[e.key] == e {
			delete(p.known, e.key)
		}
		p.mutex.Unlock()
		return e.session.Close()
	}
	p.idle = append(p.idle, e)
	bytes := int64(0)
	for _, e := range p.idle {
		bytes += e.key.size
	}
	superfluous := 0
	for len(p.idle)-superfluous > mostIdle || bytes > idleBytes {
		bytes -= p.idle[superfluous].key.size
		superfluous++
	}
	taken := p.take(superfluous)
	p.mutex.Unlock()
	return closeAll(taken)
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

// Empty closes all idle sessions.
func (p *Pool) Empty() error {
	p.mutex.Lock()
	taken := p.take(len(p.idle))
	p.mutex.Unlock()
	return closeAll(taken)
}

// Stats counts the sessions that were created for a pool and the idle sessions that it keeps.
type Stats struct{ Made, Idle int }

// Stats returns the pool's statistics.
func (p *Pool) Stats() Stats {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return Stats{p.made, len(p.idle)}
}
