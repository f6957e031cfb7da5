// Package child runs a program beside this one and talks to it over two channels of their own: the
// program reads requests from descriptor 3 and writes answers to descriptor 4, so that what it and
// its libraries print to standard output or standard error is in nobody's way.
//
// Nothing of the program outlives this process. It leads a process group of its own; when it ends,
// or is ended, the whole group goes. Where this process dies, even by SIGKILL, the program's input
// ends, and a second process, a shell that waits for nothing else, kills the group.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// Program is what to start.
type Program struct {
	Args []string // the program, found as a shell would, and its arguments
	Dir  string   // where it runs; "" for here
	Env  []string // added to this process's own, KEY=VALUE
}

// Process is a program that was started.
type Process struct {
	In  *os.File // its descriptor 3: what is written here it reads
	Out *os.File // its descriptor 4

	said   *tail
	ended  chan struct{} // closed when the program is gone, and its group with it
	how    string        // how it ended, once it has
	kill   func()        // kills the group
	ending sync.Once
}

// ErrUnsupported is returned where the system has no process groups.
var ErrUnsupported = errors.New("programs cannot be run as engines on this system: it has no " +
	"process groups")

// Start starts the program. The caller ends it with [Process.Stop] or [Process.Kill].
func Start(program Program) (*Process, error) {
	if len(program.Args) == 0 || program.Args[0] == "" {
		return nil, errors.New("no program to start")
	}
	requests, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe()
	if err != nil {
		closeAll(requests, in)
		return nil, err
	}
	p := &Process{In: in, Out: out, said: &tail{}, ended: make(chan struct{})}
	err = p.start(program, requests, answers)
	closeAll(requests, answers) // they are the child's now
	if err != nil {
		closeAll(in, out)
		return nil, err
	}
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // pipes
	}
}

// Ended is closed once the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// How says how the program ended: "exit status 3", "signal: killed". It waits for the end.
func (p *Process) How() string {
	<-p.ended
	return p.how
}

// Said is the last that the program printed to its standard output and standard error, at most
// 4 KiB of it, without white space at its ends.
func (p *Process) Said() string { return p.said.text() }

// Kill ends the program and everything in its group at once, and waits for that. Killing twice is
// harmless.
func (p *Process) Kill() {
	p.Sweep()
	p.close()
}

// Sweep ends the program and everything in its group, waits for that, and leaves the channels open:
// what was written to them can still be read.
func (p *Process) Sweep() {
	p.kill()
	<-p.ended
}

// Stop ends the program's input, which asks it to end, and kills it where it has not after grace.
// It reports whether the program ended by itself.
func (p *Process) Stop(grace time.Duration) (willing bool) {
	_ = p.In.Close() // a pipe
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.ended:
		willing = true
	case <-timer.C:
	}
	p.Kill()
	return willing
}

// close closes this side of the channels.
func (p *Process) close() { p.ending.Do(func() { closeAll(p.In, p.Out) }) }

// Explain says how the program ended, with the last that it printed in lines of their own.
func (p *Process) Explain(what string) error {
	return errors.New(what + " (" + p.How() + ")" + Quoted(p.Said()))
}

// Quoted is what a program printed as the end of a message: in lines of their own, or nothing.
func Quoted(said string) string {
	if said == "" {
		return "; it printed nothing"
	}
	return "; it printed last:\n\t" + strings.ReplaceAll(said, "\n", "\n\t")
}

// tail keeps the last that is written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
	lost bool
}

var _ io.Writer = (*tail)(nil)

// kept is how many bytes a tail keeps.
const kept = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n > kept {
		b, t.lost = b[n-kept:], true
	}
	t.last = append(t.last, b...)
	if over := len(t.last) - kept; over > 0 {
		t.last, t.lost = append(t.last[:0], t.last[over:]...), true
	}
	return n, nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.last), "�"))
	if t.lost {
		return "…" + text
	}
	return text
}

// named is an error of starting a program.
func named(program string, err error) error { return fmt.Errorf("%s: %w", program, err) }
