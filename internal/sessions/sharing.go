package sessions

import (
	"context"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/passing"
)

// Model is the model for which a session is created.
type Model interface {
	Size() (int64, error)
	SHA256() (string, error)
	DrawsNumbers() (bool, error)
}

// Sharing says whether a model that is being opened may use a session of another backend, and
// whether other backends may use the session that is created for the model. The zero value allows
// neither.
type Sharing struct {
	pool    *Pool
	model   Model
	borrows bool // may use a session that is already open
	lends   bool // may lend its own session
	key     Key
}

// Sharing returns how a session for the model may be shared. engine is the engine's name with its
// version and options, to which Sharing adds a checksum of the environment variables. If [Variable]
// forbids it, nothing is shared.
func (p *Pool) Sharing(ctx context.Context, engine string, model Model) (Sharing, error) {
	allowed, err := p.Allowed()
	if err != nil || !allowed {
		return Sharing{}, err
	}
	size, err := model.Size()
	if err != nil {
		return Sharing{}, err
	}
	return Sharing{pool: p, model: model, borrows: true, lends: !passing.In(ctx),
		key: Key{Engine: engine + " " + Environment(), Size: size}}, nil
}

// Borrow returns a lease of an open session, or nil if there is none. It computes the model's
// checksum only if the pool has a session for a model of the same size.
func (s *Sharing) Borrow() (*Lease, error) {
	if !s.borrows || !s.pool.Knows(s.key) {
		return nil, nil
	}
	sum, err := s.model.SHA256()
	if err != nil {
		return nil, err
	}
	s.key.Model = sum
	return s.pool.Borrow(s.key), nil
}

// Lend allows other backends to use an owned session, unless the model draws random numbers; see
// [Lease.Share].
func (s *Sharing) Lend(l *Lease, times int) error {
	if !s.lends {
		return nil
	}
	draws, err := s.model.DrawsNumbers()
	if err != nil || draws {
		return err
	}
	if s.key.Model, err = s.model.SHA256(); err != nil {
		return err
	}
	l.Share(s.key, times)
	return nil
}

// Took returns the memory that creating a session took, in bytes: the growth of the process since
// its memory was before, but at least least.
func Took(before uint64, least int64) int64 {
	if after, ok := memory.Resident(); ok && after > before {
		return max(least, int64(after-before))
	}
	return least
}
