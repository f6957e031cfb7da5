//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// victim is one call of modelparity and what it may cost.
type victim struct {
	args  []string
	env   []string
	bytes int64 // of the files that it reads: memory may grow with them
	base  int64 // what the same command takes for small files, with the engine's library
}

// What a call may take. Memory is that of the house: 64 MiB and four times what is read. Time is
// the processor's, as the machine may be busy; a call that hangs is stopped by the clock.
const (
	spareMemory = 64 << 20
	perByte     = 4
	maxCPU      = 10 * time.Second
	maxWall     = 45 * time.Second
	maxStderr   = 64 << 10

	maxAddressSpace = 4 << 30
)

// worst are the greatest costs that were seen, and how often a command ended how, for the table.
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

// trace finds what a user must never see: Go's traces, and those of native code.
var trace = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ |runtime: |SIG[A-Z]+:|` +
	`terminate called)`)

// strike runs the victim and says what it did wrong, or "".
func (a *attack) strike(ctx context.Context, v victim, w *worst) (wrong string, err error) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxWall)
	defer cancel()
	// Go dies of the limit on address space with a trace, long before the machine suffers.
	limit := fmt.Sprintf(`ulimit -v %d; exec "$@"`, maxAddressSpace>>10)
	command := exec.CommandContext(limited, a.self, append([]string{measureCommand, "sh", "-c", limit,
		"sh", a.program}, v.args...)...)
	command.Dir = a.dir
	command.Env = append(os.Environ(), v.env...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	state := command.ProcessState
	memory, cpu := measured(&stderr), state.UserTime()+state.SystemTime()
	w.note(memory-v.base, cpu, state.ExitCode())
	allowed := v.base + spareMemory + perByte*v.bytes
	switch text := stderr.String() + stdout.String(); {
	case limited.Err() != nil:
		wrong = fmt.Sprintf("hangs for %s", maxWall)
	case trace.MatchString(text):
		at := trace.FindStringIndex(text)
		wrong = "dies: " + strings.TrimSpace(text[at[0]:min(len(text), at[0]+200)])
	case state.ExitCode() == signalled:
		wrong = "ends with signal"
	case state.ExitCode() < 0 || state.ExitCode() > 2:
		wrong = "ends with " + state.String()
	case state.ExitCode() == 2 && strings.TrimSpace(stderr.String()) == "":
		wrong = "ends with 2 and says nothing"
	case stderr.Len() > maxStderr:
		wrong = fmt.Sprintf("says %d bytes of errors", stderr.Len())
	case cpu > maxCPU:
		wrong = fmt.Sprintf("takes %s of processor time", cpu)
	case memory > allowed:
		wrong = fmt.Sprintf("takes %d MB, and %d MB are allowed for %d bytes", memory>>20,
			allowed>>20, v.bytes)
	}
	if wrong != "" {
		wrong = fmt.Sprintf("modelparity %s: %s", strings.Join(v.args, " "), wrong)
	}
	return wrong, nil
}

// measureCommand is the first argument of this program where it runs a command and says how much
// memory that took. The system counts a process from before it runs its program, when it shares the
// memory of its parent; so the parent is a fresh process of this program, which is small.
const measureCommand = "measure"

// measuredLine is the last line of standard error under measureCommand.
const measuredLine = "\nattack: peak %d"

// signalled is the status of measure where a signal ended the command.
const signalled = 128

// measure runs a command and gives its exit status.
func measure(args []string) int {
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	fmt.Fprintf(os.Stderr, measuredLine, residentPeak(command.ProcessState))
	if status := command.ProcessState.ExitCode(); status >= 0 {
		return status
	}
	return signalled
}

// measured takes the line of measure off what was said, and gives its number.
func measured(said *bytes.Buffer) (peak int64) {
	text := said.String()
	at := strings.LastIndex(text, "\nattack: peak ")
	if at < 0 {
		return 0 // it was stopped before it could say
	}
	if _, err := fmt.Sscanf(text[at:], measuredLine, &peak); err != nil {
		return 0
	}
	said.Truncate(at)
	return peak
}

// cost is the memory that a call takes at its peak.
func (a *attack) cost(ctx context.Context, args ...string) (int64, error) {
	command := exec.CommandContext(ctx, a.self,
		append([]string{measureCommand, a.program}, args...)...)
	command.Dir = a.dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Run(); err != nil {
		return 0, fmt.Errorf("modelparity %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return measured(&stderr), nil
}

// residentPeak is the most memory that a process held, in bytes.
func residentPeak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) * maxrssUnit //nolint:unconvert // 32 bits on some systems
}
