package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/child"
	"github.com/modelparity/modelparity/internal/message"
	"github.com/modelparity/modelparity/tensor"
)

// protocol is the version of the protocol that this package speaks.
const protocol = 1

// conversation is a running program that answers requests. Only one goroutine may use it at a
// time.
type conversation struct {
	process *child.Process
	answers *message.Reader
	timeout time.Duration
}

// grace is how long a program may take to end after its input has been closed.
const grace = 2 * time.Second

func start(program child.Program, timeout time.Duration) (*conversation, error) {
	p, err := child.Start(program)
	if err != nil {
		return nil, err
	}
	return &conversation{p, message.NewReader(p.Out), timeout}, nil
}

// stop closes the program's input and kills the program if it does not end.
func (c *conversation) stop() { c.process.Stop(grace) }

// Refusal is an error that the program itself sent as its answer. The program is still running
// afterwards.
type Refusal struct {
	Reason string // one line
	Detail string // a traceback, or ""
	// Lacks is the Python package that a runner of this package needs but cannot find, or "".
	Lacks string
}

func (r *Refusal) Error() string {
	if r.Detail == "" {
		return r.Reason
	}
	return r.Reason + child.Quoted(r.Detail)
}

// answer holds the fields that all answers have in common.
type answer struct {
	Message string `json:"message"`
	Error   string `json:"error"`
	Detail  string `json:"detail"`
	Lacks   string `json:"lacks"`
}

// ask sends a request and waits for an answer whose kind is in want. After any error except a
// [*Refusal], the program has ended.
func (c *conversation) ask(ctx context.Context, head any, arrays *tensor.Set, want ...string) (
	message.Message, error) {
	got, err := c.exchange(ctx, head, arrays)
	if err != nil {
		c.process.Kill()
		return got, err
	}
	var a answer
	err = got.Decode(&a)
	switch {
	case err == nil && slices.Contains(want, a.Message):
		return got, nil
	case err == nil && a.Message == "error":
		if a.Error == "" {
			a.Error = "it answered with an error but gave no reason"
		}
		return got, &Refusal{a.Error, a.Detail, a.Lacks}
	case err == nil:
		err = fmt.Errorf("it answered %q, expected %q", a.Message, strings.Join(want, " or "))
	}
	return got, c.broken(err)
}

// answered is a message from the program, or the reason why no message could be read.
type answered struct {
	message message.Message
	err     error
}

// exchange reads the answer while it still writes the request, because a program may fail before it
// has read the whole request.
func (c *conversation) exchange(ctx context.Context, head any, arrays *tensor.Set) (
	message.Message, error) {
	wrote, read := make(chan error, 1), make(chan answered, 1)
	go func() { wrote <- message.Write(c.process.In, head, arrays) }()
	go func() {
		m, err := c.answers.Read()
		read <- answered{m, err}
	}()
	var patience <-chan time.Time
	if c.timeout > 0 {
		timer := time.NewTimer(c.timeout)
		defer timer.Stop()
		patience = timer.C
	}
	var problem error
	var got answered
	ended := c.process.Ended()
	var lingering <-chan time.Time
	for wrote != nil || read != nil {
		select {
		case err := <-wrote:
			wrote = nil
			// If the program did not read the request, how the program ended says more than the broken pipe
			// does.
			if err != nil && problem == nil && !isBroken(err) {
				problem = err
				c.process.Kill()
			}
		case got = <-read:
			read = nil
			if got.err != nil {
				if problem == nil {
					problem = c.unread(got.err)
				}
				c.process.Kill() // also ends the goroutine that writes
			}
		case <-ended:
			ended = nil
			c.process.Sweep() // child processes may keep the channels open
			lingering = time.After(grace)
		case <-lingering: // a process outside the group still holds the channels
			c.process.Kill()
		case <-ctx.Done():
			if problem == nil {
				problem = context.Cause(ctx)
			}
			c.process.Kill()
			ctx = context.Background()
		case <-patience:
			if problem == nil {
				problem = c.explain(fmt.Sprintf("no answer within %v; process.Timeout, or "+
					"--process-timeout, allows more time", c.timeout))
			}
			c.process.Kill()
			patience = nil
		}
	}
	return got.message, problem
}

// unread returns the reason why no answer could be read.
func (c *conversation) unread(err error) error {
	var wrong *message.Error
	switch {
	case errors.As(err, &wrong) && !errors.Is(err, io.ErrUnexpectedEOF):
		return c.broken(err)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isBroken(err):
		// A program that closes its channel usually ends soon afterwards.
		select {
		case <-c.process.Ended():
		case <-time.After(grace):
			return c.explain("it closed descriptor 4 without an answer")
		}
		return c.process.Explain("it ended before it answered")
	}
	return err
}

// broken ends the program and returns the error for an answer that breaks the protocol.
func (c *conversation) broken(err error) error {
	return c.explain(fmt.Sprintf("its answer on descriptor 4 is invalid: %v", err))
}

// explain ends the program. It returns an error that begins with what and ends with the program's
// last output.
func (c *conversation) explain(what string) error {
	c.process.Kill() // Kill returns once all output has been read
	return errors.New(what + child.Quoted(c.process.Said()))
}
