package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/native"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/message"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is one model that a program has loaded. The program runs one iteration at a time.
type backend struct {
	engine   backends.Engine
	settings *settings
	model    fixtures.Declaration
	asked    description // the request for the program's description
	declared []loaders.Value

	turn    chan struct{} // contains one token, taken while the program is in use
	told    description   // the program's description
	closing sync.Once
	closed  chan struct{}

	program atomic.Pointer[conversation] // running or being started; nil if it must be started
}

// description is both the request for a program's description and the program's answer.
type description struct {
	Message  string            `json:"message"`
	Protocol int               `json:"protocol"`
	Name     string            `json:"name,omitempty"`
	Version  string            `json:"version,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Model    string            `json:"model,omitempty"`
	Inputs   []value           `json:"inputs,omitempty"`
	Outputs  []string          `json:"outputs,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
}

// Open starts the program and makes it load the model.
//
// The first line of an error says what is wrong: the program or a framework is missing (see
// [backends.Missing]), the program rejects the model ([Refusal]), crashes or takes too long, or its
// answer is invalid. The program's own output follows on separate lines.
func (e engine) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	s, err := checked(e.List)
	if err != nil {
		return nil, err
	}
	if file, ok := model.(modelFile); ok {
		if s.File == "" {
			s.File = file.path
		}
	} else if _, err := backends.ONNX(s.title(), model); err != nil {
		return nil, err
	}
	return open(ctx, e, s, model)
}

// open starts the program for the model.
func open(ctx context.Context, e backends.Engine, s *settings, model fixtures.Declaration) (
	*backend, error) {
	b := &backend{engine: e, settings: s, model: model, turn: make(chan struct{}, 1),
		closed: make(chan struct{})}
	if err := b.declare(); err != nil {
		return nil, b.located(err)
	}
	if err := b.begin(ctx); err != nil {
		return nil, b.located(err)
	}
	b.turn <- struct{}{}
	if b.declared == nil && b.told.Inputs != nil {
		var err error
		if b.declared, err = valuesOf(b.told.Inputs); err != nil {
			_ = b.Close() // Close never fails
			return nil, b.located(err)
		}
	}
	return b, nil
}

// located prefixes an error with the names of the program and the model.
func (b *backend) located(err error) error {
	if missing := (*backends.Missing)(nil); errors.As(err, &missing) {
		return missing
	}
	name := b.model.Name()
	if b.settings.File != "" {
		name = filepath.Base(b.settings.File)
	}
	return fmt.Errorf("%s: %s: %w", b.settings.title(), name, err)
}

// declare reads the declared inputs and outputs of an ONNX model.
func (b *backend) declare() error {
	onnx, ok := b.model.(*loaders.Model)
	if !ok {
		return nil
	}
	inputs, wrongInputs := onnx.Inputs()
	outputs, wrongOutputs := onnx.Outputs()
	if err := cmp.Or(wrongInputs, wrongOutputs); err != nil {
		return err
	}
	tensors := true
	for _, in := range inputs {
		b.asked.Inputs = append(b.asked.Inputs, valueOf(in))
		tensors = tensors && in.Kind == loaders.Tensor
	}
	b.asked.Outputs = append(b.asked.Outputs, loaders.Names(outputs)...)
	if tensors {
		b.declared = append([]loaders.Value{}, inputs...)
	}
	return nil
}

// begin starts the program and requests its description.
func (b *backend) begin(ctx context.Context) error {
	program, err := b.settings.program()
	if err != nil {
		return err
	}
	request := b.asked
	request.Message, request.Protocol = "describe", protocol
	model, forget, err := b.file()
	if err != nil {
		return err
	}
	request.Model = model
	defer forget()
	c, err := start(program, b.settings.Timeout)
	if err != nil {
		return b.settings.lacking(err)
	}
	b.program.Store(c)
	got, err := c.ask(ctx, request, nil, "description")
	if err == nil {
		err = b.introduced(got)
	}
	if err != nil {
		c.stop()
		b.program.Store(nil)
		return b.settings.lacking(err)
	}
	return nil
}

// introduced checks the program's description of itself. After a restart, the program's name and
// version must be the same as before.
func (b *backend) introduced(m message.Message) error {
	var told description
	if err := m.Decode(&told); err != nil {
		return fmt.Errorf("the program's description: %w", err)
	}
	before := b.told
	switch {
	case told.Protocol != protocol:
		return fmt.Errorf("the program speaks protocol %d, expected %d", told.Protocol, protocol)
	case told.Name == "" || told.Version == "":
		return errors.New("the program's description lacks a name or a version")
	case before.Name != "" && (before.Name != told.Name || before.Version != told.Version):
		return fmt.Errorf("the program was %s %s, but is %s %s after a restart",
			before.Name, before.Version, told.Name, told.Version)
	}
	b.told = told
	return nil
}

// file returns the path of the model for the program. A model that exists only in memory is written
// to a temporary file. The caller removes that file by calling forget after the program has sent
// its description: by then the program has read the file.
func (b *backend) file() (path string, forget func(), err error) {
	forget = func() {}
	if b.settings.File != "" {
		path, err = filepath.Abs(b.settings.File)
		if err == nil {
			_, err = os.Stat(path)
		}
		if system := (*fs.PathError)(nil); errors.As(err, &system) {
			err = system.Err
		}
		return path, forget, err
	}
	onnx, ok := b.model.(*loaders.Model)
	if !ok {
		return "", forget, errors.New("no model file is set; set it with process.File")
	}
	if err := onnx.Load(); err != nil {
		return "", forget, err
	}
	path, remove, err := native.File(onnx, "model.onnx")
	if err != nil {
		return "", forget, err
	}
	path, err = filepath.Abs(path)
	return path, func() { _ = remove() }, err // at worst, a temporary file remains
}

// Run runs the model on every iteration of inputs.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	p, err := b.provenance()
	if err != nil {
		return nil, err
	}
	of := backends.Subject{Engine: b.engine, Model: b.model}
	return backends.CollectWarm(ctx, p, of, inputs, b.settings.WarmUp, b.infer)
}

// infer runs one iteration, after all earlier iterations have ended.
func (b *backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	if b.declared != nil {
		if err := backends.CheckInputs(b.declared, inputs); err != nil {
			return nil, fmt.Errorf("%s: %w", b.model.Name(), err)
		}
	}
	select {
	case <-b.closed:
		return nil, backends.ErrClosed
	default:
	}
	select {
	case <-b.turn:
		defer func() { b.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-b.closed:
		return nil, backends.ErrClosed
	}
	if b.program.Load() == nil {
		if err := b.begin(ctx); err != nil {
			return nil, err
		}
	}
	got, err := b.program.Load().ask(ctx, answer{Message: "run"}, inputs, "outputs")
	if err == nil {
		return ordered(got.Arrays, b.asked.Outputs)
	}
	if refused := (*Refusal)(nil); !errors.As(err, &refused) {
		b.program.Store(nil) // the program has ended
		select {
		case <-b.closed: // Close ended the program
			return nil, backends.ErrClosed
		default:
		}
	}
	return nil, err
}

// ordered returns the outputs in the order of names. Outputs that names does not list come last.
func ordered(outputs *tensor.Set, names []string) (*tensor.Set, error) {
	entries := make([]tensor.Entry, 0, outputs.Len())
	for _, name := range names {
		if t, ok := outputs.Get(name); ok {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
	}
	for name, t := range outputs.All() {
		if !slices.Contains(names, name) {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
	}
	return tensor.NewSet(entries...)
}

// Close ends the program that runs the model. A run in progress gets a few seconds to finish. After
// that, Close kills the program, and the run returns [backends.ErrClosed].
func (b *backend) Close() error {
	b.closing.Do(func() {
		close(b.closed)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-b.turn: // never put back, so no run can start
		case <-timer.C:
			b.program.Load().process.Kill()
			<-b.turn
		}
		if program := b.program.Load(); program != nil {
			program.stop()
		}
	})
	return nil
}

// isBroken reports whether err means that the program or this process has closed the pipes between
// them.
func isBroken(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

func (b *backend) provenance() (backends.Provenance, error) {
	p := backends.Provenance{Backend: b.told.Name, Version: b.told.Version,
		Provider: b.told.Provider, Model: b.model.Name(), Options: map[string]string{}}
	maps.Copy(p.Options, b.told.Options)
	var err error
	if onnx, ok := b.model.(*loaders.Model); ok {
		if p.ModelSHA256, err = onnx.SHA256(); err != nil {
			return p, err
		}
	}
	if b.settings.File != "" {
		sum, err := sumOf(b.settings.File)
		if err != nil {
			return p, b.located(err)
		}
		if p.ModelSHA256 == "" {
			p.ModelSHA256 = sum
		} else {
			p.Options["file"] = filepath.Base(b.settings.File) + ", sha256 " + sum
		}
	}
	if b.settings.Runner == "modelparity" {
		script, _, _ := strings.Cut(b.settings.Args[0], ".py:")
		if script != b.settings.Args[0] {
			script += ".py"
		}
		if sum, err := sumOf(script); err == nil {
			p.Options["script"] = filepath.Base(script) + ", sha256 " + sum
		}
	}
	return p, nil
}
