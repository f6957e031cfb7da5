package process

import (
	"cmp"
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
	Reason string `json:"error"`  // one line
	Detail string `json:"detail"` // a traceback, or ""
	// Lacks is the Python package that a runner of this package needs but cannot find, or "".
	Lacks string `json:"lacks"`
}

func (r *Refusal) Error() string {
	if r.Detail == "" {
		return r.Reason
	}
	return r.Reason + "; the program's explanation is:" + child.Indented(r.Detail)
}

// answer contains the fields that all answers have in common.
type answer struct {
	Message string `json:"message"`
	Refusal
}

// ask sends a request and waits for an answer of one of the wanted kinds. After any error except a
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
		if a.Reason == "" {
			a.Reason = "the program reported an error without a reason"
		}
		return got, &a.Refusal
	case err == nil:
		err = fmt.Errorf("the program answered %q, expected %q", a.Message, strings.Join(want, " or "))
	}
	return got, c.broken(err)
}

// errLate is the cause with which a context is cancelled if a program takes too long to answer.
var errLate = errors.New("no answer in time")

// exchange writes the request and reads the answer at the same time, because a program may fail
// before it has read the whole request. After an error, the program may still be running.
func (c *conversation) exchange(ctx context.Context, head any, arrays *tensor.Set) (
	message.Message, error) {
	if c.timeout > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, c.timeout, errLate)
		defer cancel()
		ctx = timed
	}
	defer context.AfterFunc(ctx, c.process.Kill)()
	wrote := make(chan error, 1)
	go func() {
		err := message.Write(c.process.In, head, arrays)
		// If the program did not read the request, how the program ended says more than the broken pipe
		// does.
		if isBroken(err) {
			err = nil
		} else if err != nil {
			c.process.Kill() // also ends the reading
		}
		wrote <- err
	}()
	got, err := c.answers.Read()
	if err != nil && ctx.Err() == nil {
		err = c.unread(err)
		c.process.Kill() // also ends the writing
	}
	err = cmp.Or(<-wrote, err)
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return got, err
	case errors.Is(cause, errLate):
		return got, c.explain(fmt.Sprintf("no answer within %v; to allow more time, set process.Timeout",
			c.timeout))
	default:
		return got, cause
	}
}

// unread returns the reason why no answer could be read.
func (c *conversation) unread(err error) error {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isBroken(err):
		// A program that closes its channel usually ends soon afterwards.
		select {
		case <-c.process.Ended():
		case <-time.After(grace):
			return c.explain("the program closed file descriptor 4 without an answer")
		}
		return c.explain(fmt.Sprintf("the program ended before it answered (%v)", c.process.State()))
	case errors.As(err, new(*message.Error)):
		return c.broken(err)
	}
	return err
}

// broken returns the error for an answer that breaks the protocol. It also kills the program at the
// other end of the conversation.
func (c *conversation) broken(err error) error {
	return c.explain(fmt.Sprintf("the program's answer on file descriptor 4 is invalid: %v", err))
}

// explain ends the program and returns an error that consists of the given message and the
// program's last output.
func (c *conversation) explain(what string) error {
	c.process.Kill() // Kill returns once all output has been read
	return errors.New(what + child.Quoted(c.process.Said()))
}
