package apart

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/native"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is a model that an engine has opened in a separate process.
type backend struct {
	engine   Engine
	settings *settings
	model    fixtures.Declaration
	inputs   fixtures.Inputs

	turn    chan struct{} // holds one token while the next fields are not in use
	process *process      // nil after a crash: the next run starts a new process
	sum     string        // the model's checksum, if the process has a copy of the model

	mu     sync.Mutex
	closed bool
	wrong  error // the error from closing
}

// Open starts the engine's process and opens the model there.
func (e Engine) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	if inChild {
		return nil, fmt.Errorf("%s: this process runs an isolated engine itself, so it cannot start "+
			"another", e.name())
	}
	if err := e.sendable(); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%v: %w", e, err)
	}
	b := &backend{engine: e, settings: s, model: model, inputs: inputs,
		turn: make(chan struct{}, 1)}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	b.turn <- struct{}{}
	return b, nil
}

// name returns the model's name for messages.
func (b *backend) name() string {
	if b.model == nil || b.model == (*loaders.Model)(nil) {
		return "no model"
	}
	return b.model.Name()
}

// start starts the process and opens the model in it.
func (b *backend) start(ctx context.Context) (err error) {
	text := b.engine.of.Text()
	first, _, _ := strings.Cut(text, " ")
	var p *process
	if b.engine.remote() {
		p, err = b.engine.reach(ctx, first, b.settings)
	} else {
		p, err = start(first, b.settings.Memory, b.settings.log)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			p.drop()
		}
	}()
	m := &message{Does: opens, Engine: text, Log: b.settings.logs(),
		Origin: b.inputs.Origin().Text}
	var forget func()
	m.Model, forget, err = b.describe(b.model)
	defer forget() // the process has read the files
	if err == nil && b.engine.whole != nil {
		if m.Whole = (&model{Kind: "same"}); b.engine.whole.model != b.model {
			m.Whole, forget, err = b.describe(b.engine.whole.model)
			defer forget()
		}
	}
	if err != nil {
		return err
	}
	data := map[string][]byte{}
	for name, of := range map[string]*model{"model": m.Model, "whole": m.Whole} {
		if of != nil && of.Kind == "bytes" {
			data[name] = of.data
		}
	}
	m.Tensors = bytesOf(data)
	s := session{b: b, process: p, sources: b.sources(), models: []*model{m.Model, m.Whole},
		doing: "opening " + b.name()}
	if _, err := s.talk(ctx, m, opened); err != nil {
		return err
	}
	b.process = p
	return nil
}

// sources returns the inputs that the process may request: the model's own inputs, and the inputs
// of the model from which it was cut.
func (b *backend) sources() map[string]*source {
	all := map[string]*source{"": {inputs: b.inputs}}
	if b.engine.whole != nil {
		all["whole"] = &source{inputs: b.engine.whole.inputs}
	}
	return all
}

// textModel is a model in a format other than ONNX. Another process can recreate it from the string
// that its method Text returns.
type textModel interface {
	fixtures.Declaration
	Text() string
}

// describe describes a model so that the engine's process can open it. It describes an unmodified
// ONNX model by its path, and a modified one by its bytes, or by the path of a temporary copy if
// the model has external data. A model in another format is described by the string that its
// method Text returns. Call forget, which is never nil, once the process has opened the model.
func (b *backend) describe(d fixtures.Declaration) (of *model, forget func(), err error) {
	forget = func() {}
	m, onnx := d.(*loaders.Model)
	switch {
	case d == nil || onnx && m == nil:
		return &model{Kind: "none"}, forget, nil
	case any(d) == any(b.engine.of):
		return &model{Kind: "engine"}, forget, nil
	case onnx && b.engine.remote():
		return b.offer(m)
	case !onnx:
		t, ok := d.(textModel)
		if !ok {
			return nil, forget, fmt.Errorf("%s: %s (%T) cannot be sent to another process; use an "+
				"ONNX model", b.engine.name(), d.Name(), d)
		}
		return &model{Kind: "text", Text: t.Text()}, forget, nil
	case m.Path() != "":
		return &model{Kind: "file", Text: m.Path()}, forget, nil
	}
	external, err := m.ExternalData()
	if err == nil && len(external) > 0 {
		if b.sum, err = m.SHA256(); err != nil {
			return nil, forget, err
		}
		path, forget, err := inFile(m)
		return &model{Kind: "file", Text: path}, forget, err
	}
	var data []byte
	if err == nil {
		data, err = m.Bytes()
	}
	if err != nil {
		return nil, forget, fmt.Errorf("%v: %w", b.engine, err)
	}
	return &model{Kind: "bytes", Name: m.Name(), data: data}, forget, nil
}

// inFile returns the path of a file with the model. Call forget, which is never nil, to remove the
// file if it is temporary.
func inFile(m *loaders.Model) (path string, forget func(), err error) {
	path, remove, err := native.File(m, filepath.Base(m.Name()))
	return path, func() { _ = remove() }, err // at worst, a temporary file remains
}

// Run runs the model in the engine's process.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return b.run(ctx, inputs, nil)
}

func (b *backend) run(ctx context.Context, inputs fixtures.Inputs, names *[]string) (
	*backends.Run, error) {
	s := session{doing: "starting a run of " + b.name(), sources: b.sources()}
	s.sources[runs] = &source{inputs: inputs}
	answer, err := b.command(ctx, &s, &message{Does: runs, Names: names,
		Origin: inputs.Origin().Text}, ran)
	if err != nil {
		return nil, err
	}
	return backends.NewRunOf(ctx, *answer.Provenance,
		backends.Subject{Engine: b.engine, Model: b.model}, inputs, s.run.Iterations()...), nil
}

// command sends a command to the engine's process, such as the command to run the model, and
// returns the answer. The process carries out one command at a time, so the method first waits for
// the commands before it. An answer of a kind other than want is an error. If no process is
// running, the method starts one. But if the session belongs to a process that has ended, the
// values that this process stored are lost, and the method returns an error.
func (b *backend) command(ctx context.Context, s *session, m *message, want string) (*message,
	error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%v: %w", b.engine, err)
	}
	select {
	case <-b.turn:
	case <-ctx.Done():
		return nil, fmt.Errorf("%v: while waiting for another run: %w", b.engine, context.Cause(ctx))
	}
	defer b.done()
	switch {
	case b.isClosed():
		return nil, fmt.Errorf("%v: %w", b.engine, backends.ErrClosed)
	case s.process != nil && s.process != b.process:
		return nil, fmt.Errorf("%v: the process that held the loop's state has ended; start a new "+
			"loop", b.engine)
	case b.process == nil:
		if err := b.start(ctx); err != nil {
			return nil, err
		}
	}
	s.b, s.process = b, b.process
	answer, err := s.talk(ctx, m, want)
	if err == nil && want == ran && answer.Provenance == nil {
		err = s.garbage(answer)
	}
	if err != nil {
		return nil, err
	}
	if p := answer.Provenance; p != nil {
		if b.sum != "" && p.ModelSHA256 != "" {
			p.ModelSHA256 = b.sum
		}
		b.process.host.sign(p)
	}
	return answer, nil
}

// done ends a run and lets the next one start. If Close was called during the run, done ends the
// process instead.
func (b *backend) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		b.wrong = errors.Join(b.wrong, b.stop())
	}
	b.turn <- struct{}{}
}

func (b *backend) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Close closes the engine and ends its process. If a run is in progress, Close returns at once, and
// the process ends after the run.
func (b *backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		select {
		case <-b.turn:
			b.wrong = b.stop()
			b.turn <- struct{}{}
		default: // the run in progress stops the process when it is done
		}
	}
	return b.wrong
}

// stop closes the engine, which ends its process.
func (b *backend) stop() error {
	p := b.process
	if p == nil {
		return nil
	}
	b.process = nil
	s := session{b: b, process: p, doing: "closing " + b.name()}
	_, err := s.talk(context.Background(), &message{Does: closes}, closed)
	if err == nil {
		select {
		case <-p.Ended():
		case <-time.After(grace):
			p.kill("")
		}
	}
	p.drop()
	return err
}

// source draws the inputs of a run whenever the engine's process requests the next set.
type source struct {
	inputs fixtures.Inputs
	next   func() (*tensor.Set, error, bool)
	stop   func()
}

// draw returns the next set. If again is true, it first goes back to the beginning of the inputs.
func (s *source) draw(again bool) (set *tensor.Set, err error, more bool) {
	if again || s.next == nil {
		s.end()
		s.next, s.stop = iter.Pull2(s.inputs.All())
	}
	return s.next()
}

func (s *source) end() {
	if s.stop != nil {
		s.stop()
	}
}
