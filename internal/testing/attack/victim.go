//go:build linux || darwin

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// victim is one call of the modelparity command, and its limits.
type victim struct {
	args  []string
	env   []string
	bytes int64  // size of the files that it reads; memory may grow with it
	base  int64  // memory that the command takes for small files, including the engine's library
	dir   string // working directory, if it is not the attack's

	see func(took rig.Took) (wrong string) // what else to check, or nil
}

// These are the limits for a call. Memory is limited to 64 MiB plus four times the bytes read. Time
// is processor time, since the machine may be busy; a call that hangs is stopped after a wall-clock
// limit.
const (
	spareMemory = 64 << 20
	perByte     = 4
	maxCPU      = 10 * time.Second
	maxWall     = 45 * time.Second
	maxStderr   = 64 << 10

	maxAddressSpace = 4 << 30
)

// worst records the greatest memory and time of all calls, and how often each exit status occurred,
// for the table.
type worst struct {
	memory, cpu atomic.Int64
	statuses    [3]atomic.Int64
}

func (w *worst) note(memory int64, cpu time.Duration, status int) {
	raise(&w.memory, memory)
	raise(&w.cpu, int64(cpu))
	if status >= 0 && status < len(w.statuses) {
		w.statuses[status].Add(1)
	}
}

func raise(most *atomic.Int64, now int64) {
	for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
	}
}

func (w *worst) String() string {
	return fmt.Sprintf("exit status 0, 1, 2: %d, %d, %d times; worst: %d MB, %.2f s of processor time",
		w.statuses[0].Load(), w.statuses[1].Load(), w.statuses[2].Load(), w.memory.Load()>>20,
		time.Duration(w.cpu.Load()).Seconds())
}

// trace matches output that users must never see: stack traces of Go and of native code.
var trace = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ |runtime: |SIG[A-Z]+:|` +
	`terminate called)`)

// strike runs the victim and describes what it did wrong, or returns "".
func (a *attack) strike(ctx context.Context, v victim, w *worst) (wrong string, err error) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxWall)
	defer cancel()
	// If Go reaches the address-space limit, it dies with a stack trace, long before the machine
	// runs out of memory.
	limit := fmt.Sprintf(`ulimit -v %d; exec "$@"`, maxAddressSpace>>10)
	command := exec.CommandContext(limited, "sh", append([]string{"-c", limit, "sh", a.program},
		v.args...)...)
	command.Dir, command.Env = cmp.Or(v.dir, a.dir), append(os.Environ(), v.env...)
	took, err := rig.Measure(command)
	if err != nil && limited.Err() == nil {
		return "", err
	}
	w.note(took.Peak-v.base, took.Processors, took.Status)
	allowed := v.base + spareMemory + perByte*v.bytes
	switch text := took.Stderr + took.Stdout; {
	case limited.Err() != nil:
		wrong = fmt.Sprintf("hangs for %s", maxWall)
	case trace.MatchString(text):
		at := trace.FindStringIndex(text)
		wrong = "dies: " + strings.TrimSpace(text[at[0]:min(len(text), at[0]+200)])
	case took.Status == rig.Signalled:
		wrong = "ends with signal"
	case took.Status < 0 || took.Status > 2:
		wrong = fmt.Sprintf("ends with exit status %d", took.Status)
	case took.Status == 2 && strings.TrimSpace(took.Stderr) == "":
		wrong = "ends with exit status 2 and prints no error"
	case len(took.Stderr) > maxStderr:
		wrong = fmt.Sprintf("says %d bytes of errors", len(took.Stderr))
	case took.Processors > maxCPU:
		wrong = fmt.Sprintf("takes %s of processor time", took.Processors)
	case took.Peak > allowed:
		wrong = fmt.Sprintf("takes %d MB, but only %d MB are allowed for %d bytes", took.Peak>>20,
			allowed>>20, v.bytes)
	case v.see != nil:
		wrong = v.see(took)
	}
	if wrong != "" {
		wrong = fmt.Sprintf("modelparity %s: %s", strings.Join(v.args, " "), wrong)
	}
	return wrong, nil
}

// cost returns the peak memory of a call in bytes.
func (a *attack) cost(ctx context.Context, args ...string) (int64, error) {
	command := exec.CommandContext(ctx, a.program, args...)
	command.Dir = a.dir
	took, err := rig.Succeed(command)
	return took.Peak, err
}
