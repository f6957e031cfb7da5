package apart

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/child"
)

// process is the parent's view of the process that runs an engine.
type process struct {
	*child.Process
	line     *line
	limit    int64           // the most bytes of memory that it may use; 0 is no limit
	messages chan *message   // messages from the process; closed after the last
	host     *host           // the other machine; nil if the process is on this one
	leaving  context.Context // ends when nothing waits for messages any more
	leave    context.CancelFunc

	mu     sync.Mutex
	said   error  // the error that made listen stop
	killed string // why this package killed the process, or ""
}

// start starts a process on this machine for the kind of engine that engineKind names, such as
// "ort". The process's output is also written to log unless log is nil.
func start(engineKind string, limit int64, log io.Writer) (*process, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	p, err := begin(child.Program{Args: []string{program}, Log: log,
		Env: []string{variable + "=" + engineKind, "GOTRACEBACK=single"}})
	if err != nil {
		return nil, fmt.Errorf("isolated: the engine's process did not start: %w", err)
	}
	p.limit = limit
	go p.listen()
	if limit > 0 { // otherwise only the system ends it, when memory runs out; see sacrifice
		go p.watch()
	}
	return p, nil
}

// begin starts a program and returns its process. Call listen to receive the process's messages.
func begin(program child.Program) (*process, error) {
	started, err := child.Start(program)
	if errors.Is(err, child.ErrUnsupported) {
		return nil, &backends.Missing{Backend: "isolated", Reason: "engines cannot be isolated on " +
			runtime.GOOS, Remedy: "use Linux or macOS, or run the engine without isolation"}
	}
	if err != nil {
		return nil, err
	}
	p := &process{Process: started, messages: make(chan *message),
		line: &line{conn: pair{started.Out, started.In}}}
	p.leaving, p.leave = context.WithCancel(context.Background())
	return p, nil
}

// pair combines the reading and the writing end of a connection.
type pair struct {
	io.Reader
	io.Writer
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
		case <-p.leaving.Done():
			return
		}
	}
}

// kill kills the process and its children. The resulting [Crash] reports the given reason.
func (p *process) kill(reason string) {
	p.mu.Lock()
	p.killed = cmp.Or(p.killed, reason)
	p.mu.Unlock()
	p.Kill()
}

// drop kills the process if it is still running, and makes the goroutine that runs listen return.
func (p *process) drop() {
	p.leave()
	p.Kill()
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
	case <-p.Ended():
	case <-time.After(2 * time.Second):
		p.kill("the process closed its connection but did not exit")
	}
	p.mu.Lock()
	killed := p.killed
	p.mu.Unlock()
	p.drop()
	if p.host != nil {
		return p.host.crash(engine, doing, killed, p)
	}
	return crashOf(engine.String(), doing, killed, status(p.State()), p.Printed())
}

// watch kills the process when it exceeds its limit.
func (p *process) watch() {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !p.exceeds() {
		select {
		case <-p.Ended():
			return
		case <-tick.C:
		}
	}
}

// exceeds kills the process if it has ever used more memory than its limit, and reports whether it
// did so.
func (p *process) exceeds() bool {
	if p.limit == 0 {
		return false
	}
	used := peak(p.Pid)
	if used <= p.limit {
		return false
	}
	p.kill(fmt.Sprintf("out of memory: it used %d MiB, but isolated.Memory allows %d MiB",
		used>>20, p.limit>>20))
	return true
}

// await returns the next message. It kills a process that sends none for the duration patience. If
// the context ends, await returns the context's cause, and the caller then calls cancel.
func (p *process) await(ctx context.Context, patience time.Duration) (*message, error) {
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case m, ok := <-p.messages:
		if !ok || p.exceeds() { // the process may have exceeded its limit since watch looked
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

// errEnded is the error that await returns if the process has ended.
var errEnded = errors.New("the process has ended")

// grace is how long a cancelled operation may take to stop.
const grace = time.Second

// cancel cancels the operation in progress, and reports whether the process can be used again.
func (p *process) cancel() bool {
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	err := p.line.write(&message{Does: cancels})
	for err == nil {
		var m *message
		if m, err = p.await(ctx, 0); err != nil {
			break
		}
		switch m.Does {
		case draws:
			err = p.line.write(&message{Does: fails, Error: &failure{Text: "cancelled"}})
		case iterates:
		default:
			return true
		}
	}
	p.kill("it was cancelled and did not stop")
	return false
}
