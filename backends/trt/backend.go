//go:build linux && cgo

package trt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Backend is a model that is ready to run in TensorRT: an engine built for one GPU or loaded from a
// plan file. It is safe for concurrent use. Runs of one backend take turns; runs of different
// backends can overlap.
type Backend struct {
	machine
	plan       []byte
	session    *session
	weightsOf  *loaders.Model // the model of the last refit, or nil
	weights    error          // the reason why the weights cannot be used, or nil
	provenance backends.Provenance
	subject    backends.Subject
	warmUp     int
	log        *watch
	turn       chan struct{} // contains a value while a run or Close uses the engine
	closed     bool
	close      sync.Once

	order  *order  // how the engine was built; nil for a plan
	inside []shown // the tensors that RunWithTensors returns
}

// Require skips the spec of t if TensorRT cannot be used on this machine. The message is one line
// that says what to install. If MODELPARITY_REQUIRE lists "trt" or "all", the spec fails with that
// message instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { trt.Require(GinkgoT()) })
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if TensorRT can be used with these options. Otherwise it returns the error
// with which [Require] skips or fails a spec. TensorRT's lean runtime cannot build engines, so it
// is sufficient only if [Library] or its environment variable names it.
func Available(options ...Option) error {
	s, err := engines.List(options...).Settings()
	if err != nil {
		return err
	}
	m, err := open(s)
	if err == nil && !m.library.CanBuild() && s.Library == "" && os.Getenv(libraryVariable) == "" {
		err = errLean(m.library)
	}
	if err == nil {
		tally.Found("tensorrt", "trt", m.library.Version().String())
	}
	return err
}

// New builds the model's engine, or takes it from the engine cache, as opening an [Engine] does.
// The caller closes the backend. By default, the optimization profile is derived from inputs, and
// INT8 is calibrated with them. inputs may have no iterations (fixtures.Inputs{}) if the options
// set the profile and the calibration, or if the model needs neither. With [StripPlan], New returns
// a backend without weights, for [Backend.Save] and [Backend.Refit], whereas opening an Engine adds
// the weights.
//
// Cancelling ctx stops a build at its next step. After the first build, the process keeps
// TensorRT's builder, because creating one takes seconds.
//
// New returns an error if TensorRT is missing ([backends.Missing]), if an option is invalid or this
// TensorRT does not support it, if the model cannot be read or TensorRT's parser rejects it, or if
// the build fails. The error for a failed build contains the errors in TensorRT's log.
func New(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, options ...Option) (
	*Backend, error) {
	o, err := engine{List: engines.List(options...)}.order(model, inputs)
	if err != nil {
		return nil, err
	}
	return build(ctx, o)
}

func build(ctx context.Context, o order) (*Backend, error) {
	sum, err := o.model.SHA256()
	if err != nil {
		return nil, located(err)
	}
	m, err := open(&o.settings)
	if err != nil {
		return nil, err
	}
	b := newBackend(m, &o.settings, o.subject)
	b.order = &o
	b.provenance = o.provenance(m, sum)
	if m.library.Version().Major == 11 {
		err = o.cast(ctx)
	}
	if err == nil {
		w := &workshop{machine: m, order: o, log: b.log}
		err = b.build(ctx, w)
	}
	if err == nil && o.SavePlan != "" {
		err = b.Save(o.SavePlan)
	}
	if err != nil {
		_ = b.Close() // Close never fails
		return nil, fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), o.model.Name(), err)
	}
	return b, nil
}

// Load reads an engine from a plan file, as opening a [Plan] does. A plan without weights
// ([StripPlan]) runs only after [Backend.Refit].
func Load(path string, options ...Option) (*Backend, error) {
	plan := planFile{path: path, list: plans.List(options...)}
	s, err := plan.list.Settings()
	if err != nil {
		return nil, err
	}
	return load(context.Background(), path, s, backends.Subject{Engine: plan, Model: plan})
}

func load(ctx context.Context, path string, s *settings, of backends.Subject) (*Backend, error) {
	plan, err := regular.Read(path)
	if err != nil {
		return nil, located(err)
	}
	m, err := open(s)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plan)
	b := newBackend(m, s, of)
	b.plan = plan
	b.provenance = (&order{settings: *s}).provenance(m, hex.EncodeToString(sum[:]))
	b.provenance.Model = filepath.Base(path)
	if err = b.start(s, s.Marks.Debug); err == nil {
		b.provenance.Computed = b.layerTypes().computed(append(slices.Clone(reduced), flagTF32))
	}
	if err == nil && s.SavePlan != "" {
		err = b.Save(s.SavePlan)
	}
	if err != nil {
		_ = b.Close() // Close never fails
		return nil, fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), filepath.Base(path), err)
	}
	return b, nil
}

// start creates a session that runs the plan. The session also returns the given debug tensors.
func (b *Backend) start(s *settings, debug []string) (err error) {
	b.session, err = b.load(b.plan, s, b.log, debug, s.Marks.Unfused)
	if err == nil && b.session.stripped {
		b.weights = errStripped
	}
	return err
}

func newBackend(m machine, s *settings, of backends.Subject) *Backend {
	return &Backend{machine: m, warmUp: s.WarmUp, log: listen(m.library, s),
		turn: make(chan struct{}, 1), subject: of}
}

// build creates the engine's session.
func (b *Backend) build(ctx context.Context, w *workshop) error {
	a, err := w.cached(ctx)
	if err != nil {
		return err
	}
	b.plan, b.inside = a.plan, a.Inside
	if err := b.start(&w.settings, a.listened()); err != nil {
		return err
	}
	b.noteBuild(a, &w.order)
	if names := b.session.outputNames(); a.AsOutput {
		for _, t := range a.Inside {
			if !slices.Contains(names, t.Name) {
				return fmt.Errorf("the engine with debug tensor %q returns only %s", t.Name, abridged(names))
			}
		}
	}
	return nil
}

// Run runs the model on every iteration of inputs, as described at [backends.Backend].
func (b *Backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if err := b.begin(ctx); err != nil {
		return nil, fmt.Errorf("tensorrt: %w", err)
	}
	defer b.end()
	if b.weights != nil {
		return nil, fmt.Errorf("tensorrt: %s: %w", b.provenance.Model, b.weights)
	}
	return backends.CollectWarm(ctx, b.provenance, b.subject, inputs, b.warmUp, b.infer)
}

// infer runs one set of inputs through the engine.
func (b *Backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	outputs, err := b.session.infer(ctx, inputs)
	if err != nil {
		return nil, err
	}
	for i := range outputs {
		if b.order == nil {
			break // a plan, which has no casts
		}
		if outputs[i], err = b.order.casts.widen(outputs[i]); err != nil {
			return nil, err
		}
	}
	return tensor.NewSet(outputs...)
}

// begin waits until no other goroutine uses the engine, and reserves it for the caller.
func (b *Backend) begin(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if b.closed {
		b.end()
		return backends.ErrClosed
	}
	return nil
}

func (b *Backend) end() { <-b.turn }

// Save writes the engine as a plan file, atomically. [Load] and NVIDIA's own tools can read the
// file. After [Backend.Refit], the plan contains the new weights and can run as soon as it is
// loaded. If an engine built with [StripPlan] is saved before a refit, the plan has no weights.
// Since TensorRT 10.14, a stripped plan that was saved with weights can be refitted again.
func (b *Backend) Save(path string) error {
	if err := b.begin(context.Background()); err != nil {
		return fmt.Errorf("tensorrt: %w", err)
	}
	defer b.end()
	if errors.Is(b.weights, errHalfRefitted) {
		return fmt.Errorf("tensorrt: %s: %w", b.provenance.Model, b.weights)
	}
	plan := b.plan
	if b.weightsOf != nil {
		var err error
		if plan, err = b.session.whole(); err != nil {
			return fmt.Errorf("tensorrt: %s: %w", b.provenance.Model, err)
		}
	}
	return wholefile.WriteBytes(path, plan)
}

// Close frees the engine's GPU memory once the run in progress has ended. Closing twice is
// harmless.
func (b *Backend) Close() error {
	b.close.Do(func() {
		b.turn <- struct{}{}
		defer b.end()
		b.closed = true
		if b.session != nil {
			b.session.Close()
		}
		b.log.stop()
	})
	return nil
}
