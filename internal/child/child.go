// Package child runs a program and talks to it over two dedicated pipes: the program reads requests
// from descriptor 3 and writes answers to descriptor 4, so whatever it and its libraries print to
// standard output or standard error cannot interfere.
//
// The program never outlives this process. It leads its own process group, which is killed when the
// program ends. If this process dies, even by SIGKILL, the program's input ends, and a watching
// shell kills the group.
package child

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// Program describes a program to start.
type Program struct {
	Args []string // the program, found as in a shell, and its arguments
	Env  []string // variables to add to this process's environment, KEY=VALUE

	Standard bool      // requests and answers go through standard input and output instead
	Log      io.Writer // also gets what the program prints; nil for none
}

// Process is a running program.
type Process struct {
	// In is for requests and Out for answers: the program's descriptors 3 and 4. When the program has
	// ended, In is closed at once and Out a second later, because a process that the program left
	// behind may hold the other ends.
	In, Out *os.File
	Pid     int

	said  *tail
	ended chan struct{}    // closed when the program and its group have ended
	state *os.ProcessState // set before ended is closed
	kill  func()           // kills the group
}

// ErrUnsupported is the error of [Start] on systems without process groups.
var ErrUnsupported = errors.New("programs cannot be run as engines on this system: it has no " +
	"process groups")

// Start starts the program. The caller must end it with [Process.Stop] or [Process.Kill].
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
	p := &Process{In: in, Out: out, said: &tail{also: program.Log}, ended: make(chan struct{})}
	err = p.start(program, requests, answers)
	closeAll(requests, answers) // only the child uses these ends
	if err != nil {
		closeAll(in, out)
		return nil, err
	}
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // closing a pipe cannot lose data, and closing it twice is harmless
	}
}

// Ended returns a channel that is closed once the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// State waits until the program has ended and returns its exit state, or nil if the state is
// unknown.
func (p *Process) State() *os.ProcessState {
	<-p.ended
	return p.state
}

// Said returns the last 4 KiB of what the program printed to standard output and standard error,
// without surrounding white space.
func (p *Process) Said() string {
	const most = 4 << 10
	text, cut := p.Printed(), ""
	if len(text) > most {
		text, cut = text[len(text)-most:], "…"
	}
	return cut + strings.TrimSpace(strings.ToValidUTF8(text, "�"))
}

// Printed returns the end of what the program printed to standard output and standard error: all of
// it, or at least the last 128 KiB.
func (p *Process) Printed() string { return p.said.text() }

// Kill kills the program and its group and waits for their end. The program's last answers can
// still be read for a second. Killing twice is harmless.
func (p *Process) Kill() {
	p.kill()
	<-p.ended
}

// Stop closes the program's input, which asks the program to exit. If the program is still running
// after the grace period, Stop kills it. Stop reports whether the program exited without being
// killed.
func (p *Process) Stop(grace time.Duration) (willing bool) {
	_ = p.In.Close() // closing a pipe cannot lose data
	select {
	case <-p.ended:
		willing = true
	case <-time.After(grace):
	}
	p.Kill()
	return willing
}

// Quoted formats the output of a program for the end of an error message. See also [Indented].
func Quoted(said string) string {
	if said == "" {
		return "; it printed nothing"
	}
	return "; its last output was:" + Indented(said)
}

// Indented formats what a program said, such as its output, for the end of an error message. The
// result starts a new line and indents every line of text.
func Indented(text string) string { return "\n\t" + strings.ReplaceAll(text, "\n", "\n\t") }

// tail is a writer that keeps only the end of a program's output, because a program may print
// without end.
type tail struct {
	also io.Writer
	mu   sync.Mutex
	end  []byte
}

// kept is the least number of trailing bytes that a [tail] keeps. A shorter output is kept whole.
const kept = 128 << 10

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.also != nil {
		_, _ = t.also.Write(text) // a failed copy must not end the program
	}
	t.end = append(t.end, text...)
	if len(t.end) > 2*kept {
		t.end = bytes.Clone(t.end[len(t.end)-kept:])
	}
	return len(text), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}
