package apart

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
)

// session is one command to the engine's process, and the requests that this process sends while
// it carries out the command.
type session struct {
	b       *backend
	process *process
	sources map[string]*source
	models  []*model // the models whose files another machine may request
	doing   string
	drawn   int
	run     backends.Run // holds the iterations so far
	inputs  error        // the error from drawing inputs
}

// talk sends the command and answers the process's requests until the process has carried out the
// command. It returns the process's answer, which must be of the kind want. If the process ends or
// must be killed, talk drops the process and returns a [*Crash].
func (s *session) talk(ctx context.Context, m *message, want string) (*message, error) {
	defer func() {
		for _, source := range s.sources {
			source.end()
		}
	}()
	if err := s.process.line.write(m); err != nil {
		return nil, s.crashed()
	}
	for {
		m, err := s.process.await(ctx, s.b.settings.Patience)
		switch {
		case errors.Is(err, errEnded):
			return nil, s.crashed()
		case err != nil:
			return nil, s.cancelled(err)
		}
		var answer *message
		switch m.Does {
		case draws:
			answer, err = s.draw(m)
		case iterates:
			s.run.Append(backends.Iteration{Outputs: m.Tensors, Runtime: m.Runtime})
			continue
		case wants:
			answer, err = s.deliver(m)
		case fails:
			return nil, s.failed(ctx, m)
		case want:
			return m, nil
		default:
			return nil, s.garbage(m)
		}
		if err != nil {
			return nil, err
		}
		if err := s.process.line.write(answer); err != nil {
			return nil, s.crashed()
		}
	}
}

// draw answers the process's request for the next inputs.
func (s *session) draw(m *message) (*message, error) {
	source := s.sources[m.Of]
	if source == nil {
		return nil, s.garbage(m)
	}
	if m.Of == runs {
		if m.Again {
			s.drawn = 0
		}
		s.doing = fmt.Sprintf("running iteration %d of %s", s.drawn, s.b.name())
		s.drawn++
	}
	set, err, more := source.draw(m.Again)
	if err != nil {
		s.inputs = err
		return &message{Does: fails, Error: &failure{Text: err.Error()}}, nil
	}
	if !more {
		s.doing = "ending a run of " + s.b.name()
		return &message{Does: ends}, nil
	}
	return &message{Does: gives, Tensors: set}, nil
}

// failed converts a message about a failure to an error.
func (s *session) failed(ctx context.Context, m *message) error {
	f := m.Error
	switch {
	case f == nil:
		return s.garbage(m)
	case f.Missing != nil:
		if host := s.process.host; host != nil {
			f.Text += " (on " + host.machine + ")"
		}
		return &remoteError{f.Text, f.Missing}
	case f.Means == noInputs:
		return &remoteError{f.Text, backends.ErrNoInputs}
	case f.Means == brokenInputs && s.inputs != nil:
		return &remoteError{f.Text, s.inputs}
	case f.Means == ended && ctx.Err() != nil:
		return s.cancelled(context.Cause(ctx))
	}
	return errors.New(f.Text)
}

// cancelled stops the operation because the context has ended.
func (s *session) cancelled(cause error) error {
	if !s.process.cancel() {
		_ = s.crashed() // the context is the cause
		return fmt.Errorf("%v: while %s: %w; it did not stop in %v, so its process was killed",
			s.b.engine, s.doing, cause, grace)
	}
	return fmt.Errorf("%v: while %s: %w", s.b.engine, s.doing, cause)
}

// crashed discards the process, which has ended, and describes how it ended.
func (s *session) crashed() *Crash {
	if s.b.process == s.process {
		s.b.process = nil
	}
	return s.process.ended(s.b.engine.of, s.doing)
}

// garbage drops a process that sent an invalid message.
func (s *session) garbage(m *message) error {
	s.process.kill(fmt.Sprintf("unexpected answer %q", m.Does))
	return s.crashed()
}
