package sessions

import (
	"context"

	"github.com/modelparity/modelparity/internal/inuse"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/passing"
)

// Lease is the right to use a session, until it is closed. It is safe for concurrent use. Each use
// of the session is between [inuse.Guard.Enter] and [inuse.Guard.Leave]; after Close, the last use
// gives the session back to the pool.
type Lease struct {
	inuse.Guard
	pool  *Pool
	entry *entry
	model Model // nil if the session may not be lent
	key   key
}

// Model is the model for which a session is created.
type Model interface {
	Size() (int64, error)
	SHA256() (string, error)
	DrawsNumbers() (bool, error)
}

// Open returns a lease of an open session for the model. If the pool has none, Open calls create
// for a new one. engine is the engine's name with its version and options. Nothing is shared if
// engine is "" or if [Variable] forbids it. A new session is closed with the lease, unless
// [Lease.Lend] is called.
func (p *Pool) Open(ctx context.Context, engine string, model Model,
	create func() (Session, error)) (*Lease, error) {
	l := &Lease{pool: p}
	l.Free = func() error { return p.giveBack(l.entry) }
	allowed, err := p.allowed()
	if err != nil {
		return nil, err
	}
	if engine != "" && allowed {
		l.model, l.key.engine = model, engine+" "+environment()
		if l.key.size, err = model.Size(); err != nil {
			return nil, err
		}
		if p.knows(l.key) {
			if l.key.model, err = model.SHA256(); err != nil {
				return nil, err
			}
			l.entry = p.borrow(l.key)
		}
	}
	if l.entry != nil || passing.In(ctx) {
		l.model = nil
	}
	if l.entry != nil {
		return l, nil
	}
	if p.Stats().Idle > 0 && memory.Free() < spare {
		if err := p.Empty(); err != nil {
			return nil, err
		}
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

// Lend lets other backends use the session the given number of times; 0 means any number. It does
// nothing if the session may not be shared, if it is borrowed, if the model draws random numbers,
// or if the pool has another session for the model.
func (l *Lease) Lend(times int) error {
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
		l.entry.key, l.entry.left = l.key, times
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
