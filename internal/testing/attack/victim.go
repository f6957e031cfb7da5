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

// trace matches output that users must never see: stack traces of Go and of native code.
var trace = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ |runtime: |SIG[A-Z]+:|` +
	`terminate called)`)

// strike runs the victim and describes what it did wrong, or returns "".
func (a *attack) strike(ctx context.Context, v victim, r *result) (wrong string, err error) {
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
	r.note(took.Peak-v.base, took.Processors, took.Status)
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

// words returns a call with the arguments in line, after the replacements in pairs, which
// alternates old and new texts. Words such as NAME=VALUE at the start of line become environment
// variables.
func words(line string, pairs ...string) (v victim) {
	all := strings.Fields(line)
	for i := range all {
		all[i] = strings.NewReplacer(pairs...).Replace(all[i])
	}
	for strings.Contains(all[0], "=") {
		v.env, all = append(v.env, all[0]), all[1:]
	}
	v.args = all
	return v
}

// cost returns the peak memory of a call in bytes.
func (a *attack) cost(ctx context.Context, args ...string) (int64, error) {
	command := exec.CommandContext(ctx, a.program, args...)
	command.Dir = a.dir
	took, err := rig.Succeed(command)
	return took.Peak, err
}
