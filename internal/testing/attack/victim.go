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

// victim is one call of the modelparity command, and its limits. If the first argument names one of
// [roles], the call starts a copy of this program instead.
type victim struct {
	args  []string
	env   []string
	bytes int64  // total size of the files that the call reads, on which its memory limit depends
	base  int64  // memory that the command takes for small files, including the engine's library
	dir   string // working directory; "" is the attack's folder

	see func(took rig.Took) (wrong string) // further checks, or nil
}

// These are the limits for a call. Memory is limited to 64 MiB plus four times the bytes read. The
// time limit counts processor time, because elapsed time depends on how busy the machine is; a call
// that hangs is stopped after maxWall.
const (
	spareMemory = 64 << 20
	perByte     = 4
	maxCPU      = 10 * time.Second
	maxWall     = 45 * time.Second
	maxStderr   = 64 << 10

	// limited limits the address space to 4 GiB. At this limit Go dies with a stack trace, long
	// before the machine runs out of memory.
	limited = `ulimit -v 4194304; exec "$@"`
)

// trace matches output that users must never see: stack traces of Go and of native code.
var trace = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ |runtime: |SIG[A-Z]+:|` +
	`terminate called)`)

// strike runs the command, and describes which limit the command exceeded or what else it did
// wrong. It returns "" if nothing is wrong.
func (a *attack) strike(ctx context.Context, v victim, r *result) (wrong string, err error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxWall)
	defer cancel()
	program := a.program
	if len(v.args) > 0 && roles[v.args[0]] != nil {
		program = rig.Self()
	}
	command := exec.CommandContext(within, "sh", append([]string{"-c", limited, "sh",
		program}, v.args...)...)
	command.Dir, command.Env = cmp.Or(v.dir, a.dir), append(os.Environ(), v.env...)
	took, err := rig.Measure(command)
	if err != nil && within.Err() == nil {
		return "", err
	}
	r.note(took.Peak-v.base, took.Processors, took.Status)
	allowed := v.base + spareMemory + perByte*v.bytes
	switch text := took.Stderr + took.Stdout; {
	case within.Err() != nil:
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
		wrong = fmt.Sprintf("prints %d bytes of errors", len(took.Stderr))
	case took.Processors > maxCPU:
		wrong = fmt.Sprintf("takes %s of processor time", took.Processors)
	case took.Peak > allowed:
		wrong = fmt.Sprintf("takes %d MB of memory, over the limit of %d MB for files of %d "+
			"bytes", took.Peak>>20, allowed>>20, v.bytes)
	case v.see != nil:
		wrong = v.see(took)
	}
	if wrong != "" {
		wrong = fmt.Sprintf("modelparity %s: %s", strings.Join(v.args, " "), wrong)
	}
	return wrong, nil
}

// words returns a call of the command whose arguments are the words in line. In each word, it
// replaces the substrings in pairs, which lists old, new, old, new, and so on.
func words(line string, pairs ...string) (v victim) {
	for _, word := range strings.Fields(line) {
		v.args = append(v.args, strings.NewReplacer(pairs...).Replace(word))
	}
	return v
}

// cost runs the command with the given arguments, and returns its peak memory in bytes.
func (a *attack) cost(ctx context.Context, args ...string) (int64, error) {
	command := exec.CommandContext(ctx, a.program, args...)
	command.Dir = a.dir
	took, err := rig.Succeed(command)
	return took.Peak, err
}
