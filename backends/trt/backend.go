//go:build linux && cgo

package trt

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// backend is a model that is ready to run in TensorRT: an engine built for one GPU or loaded from a
// plan file. It is safe for concurrent use. Runs of one backend take turns; runs of different
// backends can overlap.
type backend struct {
	machine
	settings   runSettings
	plan       []byte
	provenance backends.Provenance
	subject    backends.Subject
	log        *watch
	turn       chan struct{} // contains a value while a run or Close uses the engine
	closed     bool

	order  order   // how the engine was built; empty for a plan
	casts  *casts  // the casts in the model; nil if there are none
	inside []shown // the tensors that runWithTensors returns

	runtimes []trtabi.Runtime // the last runtime reads the plan
	engine   trtabi.Engine
	stripped bool           // the plan had no weights, and the engine has not got them yet
	streams  []*cuda.Stream // the inferences take turns on them
	stream   *cuda.Stream   // the stream of the current inference
	runs     int
	context  trtabi.Context // created by the first inference
	ins      []*binding
	outs     []*binding
	working  *cuda.Buffer // the context's memory, if this package allocates it
	debug    *listener    // nil if there are no debug tensors
}

// Available returns nil if TensorRT can be used with these options. Otherwise it returns the error
// with which [Require] skips or fails a spec.
func Available(options ...Option) error {
	s, err := engines.List(options...).Settings()
	if err != nil {
		return err
	}
	m, err := open(s)
	if err == nil {
		tally.Found("tensorrt", "trt", m.library.Version().String())
	}
	return err
}

// build builds an engine, or takes it from the engine cache. The error for a failed build contains
// the errors in TensorRT's log.
func build(ctx context.Context, o order) (*backend, error) {
	sum, err := o.model.SHA256()
	if err != nil {
		return nil, located(err)
	}
	m, err := open(&o.settings)
	if err != nil {
		return nil, err
	}
	b := newBackend(m, &o.settings, o.subject)
	b.order = o
	b.provenance = o.provenance(m, sum)
	if m.library.Version().Major == 11 {
		err = o.cast(ctx)
	}
	if err == nil {
		b.casts = o.casts
		w := &job{machine: m, order: o, log: b.log}
		err = b.build(ctx, w)
	}
	if err == nil {
		err = b.finish(o.SavePlan, o.model)
	}
	if err != nil {
		_ = b.Close() // Close never fails
		return nil, fmt.Errorf("tensorrt %v: %s: %w%s", m.library.Version(), o.model.Name(), err,
			guesses.Text(ctx, err, o.notes))
	}
	return b, nil
}

// load reads an engine from a plan file. If the plan has no weights, the engine gets them from
// model, which may be nil.
func load(path string, s *settings, of backends.Subject, model *loaders.Model) (*backend, error) {
	plan, err := regular.Read(path)
	if err != nil {
		return nil, located(err)
	}
	m, err := open(s)
	if err != nil {
		return nil, err
	}
	b := newBackend(m, s, of)
	b.plan = plan
	b.provenance = (&order{settings: *s}).provenance(m, fmt.Sprintf("%x", sha256.Sum256(plan)))
	b.provenance.Model = filepath.Base(path)
	if err = b.start(s, s.Marks.Debug); err == nil {
		b.provenance.Computed = b.layerTypes().computed(append(slices.Clone(reduced), flagTF32))
	}
	if err == nil && model != nil {
		err = b.fits(model)
	}
	if err == nil {
		err = b.finish(s.SavePlan, model)
	}
	if err != nil {
		_ = b.Close() // Close never fails
		return nil, fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), filepath.Base(path), err)
	}
	return b, nil
}

// finish writes the plan to a file, unless its name is "", and restores the weights of a stripped
// engine from the model, unless it is nil.
func (b *backend) finish(file string, model *loaders.Model) error {
	if file != "" {
		if err := wholefile.WriteBytes(file, b.plan); err != nil {
			return err
		}
	}
	if b.stripped && model != nil {
		return b.giveWeights(model)
	}
	return nil
}

func newBackend(m machine, s *settings, of backends.Subject) *backend {
	return &backend{machine: m, settings: s.runSettings, log: listen(m.library, s),
		turn: make(chan struct{}, 1), subject: of, working: m.device.NewBuffer()}
}

// build builds the engine, or takes it from the engine cache, and starts it.
func (b *backend) build(ctx context.Context, w *job) error {
	a, err := w.cached(ctx)
	if err != nil {
		return err
	}
	b.plan, b.inside = a.plan, a.Inside
	var debug []string
	for _, t := range a.Inside {
		if !a.AsOutput {
			debug = append(debug, t.Name)
		}
	}
	if err := b.start(&w.settings, debug); err != nil {
		return err
	}
	b.noteBuild(a, &w.order)
	if !a.AsOutput {
		return nil
	}
	var names []string
	for _, t := range b.outs {
		names = append(names, t.Name)
	}
	for _, t := range a.Inside {
		if !slices.Contains(names, t.Name) {
			return fmt.Errorf("the engine with debug tensor %q returns only %s", t.Name, abridged(names))
		}
	}
	return nil
}

// Run runs the model on every iteration of inputs, as described at [backends.Backend].
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("tensorrt: %w", context.Cause(ctx))
	}
	switch {
	case b.closed:
		return nil, fmt.Errorf("tensorrt: %w", backends.ErrClosed)
	case b.stripped:
		return nil, fmt.Errorf("tensorrt: %s: %w", b.provenance.Model, errStripped)
	}
	return backends.CollectWarm(ctx, b.provenance, b.subject, inputs, b.settings.WarmUp, b.infer)
}

// Close frees the engine's GPU memory once the run in progress has ended. Closing twice is
// harmless.
func (b *backend) Close() error {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	if b.closed {
		return nil
	}
	b.closed = true
	_ = b.device.Do(func() error {
		b.context.Delete()
		for _, t := range slices.Concat(b.ins, b.outs) {
			t.Close()
		}
		if b.debug != nil {
			b.debug.callback.Close()
		}
		b.engine.Delete()
		for _, runtime := range slices.Backward(b.runtimes) {
			runtime.Delete()
		}
		b.working.Close()
		for _, stream := range b.streams {
			stream.Close()
		}
		return nil
	})
	b.log.stop()
	return nil
}
