package apart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
)

// process is the parent's view of the process that runs an engine.
type process struct {
	line     *line
	command  *exec.Cmd
	messages chan *message // messages from the process; closed after the last
	words    *tail
	far      *far          // nil on this machine
	gone     chan struct{} // closed once the process has ended
	leaving  chan struct{} // closed once listen has returned
	leave    sync.Once

	mu     sync.Mutex
	said   error  // the error that made listen stop
	killed string // why this package killed the process, or ""
}

// start starts a process for an engine of the given kind on this machine. The process's output is
// also written to log unless log is nil.
func start(engineKind string, limit limit, log io.Writer) (*process, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	command := &exec.Cmd{Path: program, Args: os.Args[:1],
		Env: append(os.Environ(), variable+"="+engineKind, "GOTRACEBACK=single")}
	p, err := begin(command, log, func(theirs []*os.File, words io.Writer) {
		command.Stdout, command.ExtraFiles = words, theirs
	})
	if err != nil {
		return nil, fmt.Errorf("isolated: the engine's process does not start: %w", err)
	}
	go p.listen()
	go p.watch(limit)
	return p, nil
}

// begin starts the command of a process. connect gives the command its ends of the connection.
func begin(command *exec.Cmd, log io.Writer, connect func(theirs []*os.File, words io.Writer)) (
	*process, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	theirs, conn, err := connection()
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	p := &process{line: &line{conn: conn}, command: command, messages: make(chan *message),
		words: &tail{also: log}, gone: make(chan struct{}), leaving: make(chan struct{})}
	command.Stderr, command.WaitDelay = p.words, time.Second
	connect(theirs, p.words)
	own(command)
	if err := command.Start(); err != nil {
		conn.Close()
		return nil, err
	}
	go func() {
		_ = command.Wait() // the error is also in ProcessState
		sweep(command.Process.Pid)
		p.line.end() // for what the command has left behind
		close(p.gone)
	}()
	return p, nil
}

// listen receives the process's messages.
func (p *process) listen() {
	defer close(p.messages)
	for {
		m, err := p.line.read()
		if err != nil {
			p.mu.Lock()
			p.said = err
			p.mu.Unlock()
			return
		}
		select {
		case p.messages <- m:
		case <-p.leaving:
			return
		}
	}
}

// kill kills the process and its children. The crash's message contains why.
func (p *process) kill(why string) {
	p.mu.Lock()
	if p.killed == "" {
		p.killed = why
	}
	p.mu.Unlock()
	select {
	case <-p.gone:
		return
	default:
	}
	killAll(p.command.Process.Pid)
	select {
	case <-p.gone:
	case <-time.After(10 * time.Second): // give up: it is stuck in the kernel
	}
}

// forget frees what the parent holds for a process that has ended or is no longer used.
func (p *process) forget() {
	p.leave.Do(func() {
		close(p.leaving)
		if c, ok := p.line.conn.(io.Closer); ok {
			c.Close()
		}
	})
}

// ended waits for a process that sends no more messages, and describes how it ended.
func (p *process) ended(engine backends.Engine, doing string) *Crash {
	p.mu.Lock()
	said := p.said
	p.mu.Unlock()
	if errors.Is(said, errGarbage) {
		p.kill(said.Error())
	}
	select {
	case <-p.gone:
	case <-time.After(2 * time.Second):
		p.kill("it closed its connection but did not end")
	}
	p.mu.Lock()
	killed := p.killed
	p.mu.Unlock()
	p.forget()
	if p.far != nil {
		return p.far.crash(engine, doing, killed, p)
	}
	return crashOf(engine.String(), doing, killed, status(p.command.ProcessState), p.words.String())
}

// watch kills the process if it uses too much memory.
func (p *process) watch(limit limit) {
	if limit.bytes == 0 {
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.gone:
			return
		case <-tick.C:
			if used := resident(p.command.Process.Pid); used > limit.bytes {
				p.kill(fmt.Sprintf("out of memory: it used %s, but %s", bytesText(used), limit))
				return
			}
		}
	}
}

// limit is the largest amount of memory that a process may use.
type limit struct {
	bytes int64
	given bool
}

// limit returns the process's memory limit: the option's value or the default.
func (s *settings) limit() (limit, error) {
	if s.Memory > 0 {
		return limit{s.Memory, true}, measurable()
	}
	return limit{bytes: free() / 10 * 9}, nil
}

func (l limit) String() string {
	if l.given {
		return "isolated.Memory allows " + bytesText(l.bytes)
	}
	return "the limit is " + bytesText(l.bytes) + ", nine tenths of the memory free at its start " +
		"(isolated.Memory sets another)"
}

func bytesText(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// tail keeps the beginning and the end of a process's output and drops the rest, because an engine
// may print without end. It also copies the whole output to another writer, if there is one.
type tail struct {
	also      io.Writer // nil: no copy
	mu        sync.Mutex
	head, end []byte
}

const kept = 64 << 10

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.also != nil {
		_, _ = t.also.Write(text) // a failed copy must not end the process
	}
	t.end = append(t.end, text...)
	if len(t.end) > 4*kept {
		if t.head == nil {
			t.head = bytes.Clone(t.end[:kept])
		}
		t.end = append([]byte(nil), t.end[len(t.end)-2*kept:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.head == nil {
		return string(t.end)
	}
	return strings.Join([]string{string(t.head), string(t.end)}, "\n…\n")
}

// await returns the next message. It kills a process that sends no message within patience. If the
// context ends, await cancels the operation, and kills the process if the operation does not stop.
func (p *process) await(ctx context.Context, patience time.Duration) (*message, error) {
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case m, ok := <-p.messages:
		if !ok {
			return nil, errEnded
		}
		return m, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-late:
		p.kill(fmt.Sprintf("it hung: no answer in %v (isolated.Patience sets how long to wait)",
			patience))
		return nil, errEnded
	}
}

// errEnded is the error of await when the process has ended.
var errEnded = errors.New("the process has ended")

// grace is how long a cancelled operation may take to stop.
const grace = time.Second

// cancel cancels the operation in progress, and reports whether the process can be used again.
func (p *process) cancel() bool {
	if p.line.write(&message{Does: cancels}) == nil {
		end := time.NewTimer(grace)
		defer end.Stop()
		for {
			select {
			case m, ok := <-p.messages:
				if !ok {
					return false
				}
				var err error
				switch m.Does {
				case draws:
					err = p.line.write(&message{Does: fails, Error: &failure{Text: "cancelled"}})
				case iterates:
				default:
					return true
				}
				if err == nil {
					continue
				}
			case <-end.C:
			}
			break
		}
	}
	p.kill("it was cancelled and did not stop")
	return false
}
