package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/memory"
)

// Variable names the environment variable with the memory limit of idle sessions: a number of
// bytes, or a number with K, M or G for powers of 1024. With 0, no session is shared.
const Variable = "MODELPARITY_SESSION_MEMORY"

const (
	mostIdle  = 8
	idleBytes = 256 << 20
	idleFor   = 30 * time.Second
	spare     = 1 << 30 // bytes that must be free for idle sessions to stay
)

// Shared is the pool that all engines in this process use.
var Shared = New(Limits{Sessions: mostIdle, Bytes: idleBytes, For: idleFor})

// Off turns sharing off for the rest of the process.
func (p *Pool) Off() { p.off.Store(true) }

// Allowed reports whether sessions may be shared. It also applies the limit in [Variable].
func (p *Pool) Allowed() (bool, error) {
	limit := int64(idleBytes)
	if text := os.Getenv(Variable); text != "" {
		var ok bool
		if limit, ok = budget.Bytes(text); !ok {
			return false, fmt.Errorf("%s=%s: expected a number of bytes, with K, M or G, or 0 to turn "+
				"sharing off", Variable, text)
		}
	}
	p.mutex.Lock()
	p.limits.Bytes = limit
	p.mutex.Unlock()
	return limit > 0 && !p.off.Load(), nil
}

// Relieve closes the idle sessions if the machine has too little free memory. Engines call it
// before they create a session.
func (p *Pool) Relieve() error {
	if p.Stats().Idle > 0 && memory.Free() < spare {
		return p.Empty()
	}
	return nil
}

// Environment returns a checksum of the process's environment variables. A session is not reused
// after a variable has changed, because libraries read variables while they create a session.
func Environment() string {
	sum := sha256.Sum256([]byte(strings.Join(os.Environ(), "\x00")))
	return hex.EncodeToString(sum[:8])
}
