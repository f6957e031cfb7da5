// Package sessions keeps the sessions that engines create for models, so that a later run of the
// same model can reuse one. A pool owns all sessions that it lends. It closes an unused session if
// the pool's limits are exceeded, or if the session is spoiled or has been lent as often as
// allowed.
package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/memory"
)

// Session is a model that an engine has prepared.
type Session interface {
	// Close frees the session.
	Close() error
	// Memory returns the number of bytes that the session holds between runs. If it returns an
	// error, the session is closed as soon as it is unused.
	Memory() (int64, error)
}

// key identifies the model, the engine and the options for which a session was created. Sessions
// with equal keys give equal results.
type key struct {
	engine string // the engine with its version and options, and the environment variables
	size   int64  // of the model in bytes; cheap to compare
	model  string // the model's SHA-256
}

// Pool is a set of sessions that can be shared. It is safe for concurrent use.
type Pool struct {
	mutex sync.Mutex
	off   bool
	most  int   // number of idle sessions
	limit int64 // memory of idle sessions in bytes
	known map[key]*entry
	idle  []*entry // the session that is idle longest comes first
	made  int
}

// entry is a session in a pool, with the number of its users.
type entry struct {
	key     key
	session Session
	users   int
	left    int // how many times it may still be lent; any number if 0 or less
	bytes   int64
}

// New returns an empty pool that keeps at most the given number of idle sessions.
func New(most int) *Pool { return &Pool{most: most, known: map[key]*entry{}} }

// Shared is the pool that all engines in this process use.
var Shared = New(8)

// Variable names the environment variable with the memory limit of idle sessions: a number of
// bytes, or a number with K, M or G for powers of 1024. With 0, no session is shared.
const Variable = "MODELPARITY_SESSION_MEMORY"

const (
	idleBytes = 256 << 20 // the default of Variable
	spare     = 1 << 30   // bytes that must be free for idle sessions to stay
)

// Off turns sharing off for the rest of the process.
func (p *Pool) Off() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.off = true
}

// allowed reports whether sessions may be shared. It also applies the limit in [Variable].
func (p *Pool) allowed() (bool, error) {
	limit := int64(idleBytes)
	if text := os.Getenv(Variable); text != "" {
		var ok bool
		if limit, ok = budget.Bytes(text); !ok {
			return false, fmt.Errorf("%s=%s: expected a number of bytes, with K, M or G, or 0 to turn "+
				"sharing off", Variable, text)
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.limit = limit
	return limit > 0 && !p.off, nil
}

// environment returns a checksum of the process's environment variables. A session is not reused
// after a variable has changed, because libraries read variables while they create a session.
func environment() string {
	sum := sha256.Sum256([]byte(strings.Join(os.Environ(), "\x00")))
	return hex.EncodeToString(sum[:8])
}

// knows reports whether the pool has a session for the key's engine and for a model of the key's
// size. Otherwise, the caller need not compute the model's checksum.
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
	if e.left--; e.left == 0 {
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
	keep := p.known[e.key] == e
	if keep {
		var err error
		if e.bytes, err = e.session.Memory(); err != nil || e.bytes > p.limit {
			delete(p.known, e.key)
			keep = false
		}
	}
	if !keep {
		p.mutex.Unlock()
		return e.session.Close()
	}
	p.idle = append(p.idle, e)
	excess, bytes := len(p.idle)-p.most, int64(0)
	for i, e := range slices.Backward(p.idle) {
		if bytes += e.bytes; bytes > p.limit {
			excess = max(excess, i+1)
			break
		}
	}
	superfluous := p.take(max(excess, 0))
	p.mutex.Unlock()
	return closeAll(superfluous)
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
type Stats struct {
	Made      int
	Idle      int
	IdleBytes int64
}

// Stats returns the pool's statistics.
func (p *Pool) Stats() Stats {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	s := Stats{Made: p.made, Idle: len(p.idle)}
	for _, e := range p.idle {
		s.IdleBytes += e.bytes
	}
	return s
}

// Took returns how many bytes of memory the creation of a session took: how much the process has
// grown since its memory was before bytes, but at least minimum.
func Took(before uint64, minimum int64) int64 {
	if after, ok := memory.Resident(); ok && after > before {
		return max(minimum, int64(after-before))
	}
	return minimum
}
