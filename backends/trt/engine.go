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
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Engine is a model that TensorRT built for one GPU. It is safe for concurrent use: runs take
// turns. Several engines run beside each other.
type Engine struct {
	machine
	plan       []byte
	sessions   []*session     // the engine, then one for each debug tensor
	weightsOf  *loaders.Model // the last refit's, or nil
	weights    error          // why they cannot be run, or nil
	provenance backends.Provenance
	warmUp     int
	log        *watch
	turn       chan struct{} // holds a value while a run, or the end, has the engine
	closed     bool
	close      sync.Once

	again  func(context.Context, Option) (*Engine, error) // nil where the model is not known
	inside []shown                                        // what [Engine.RunWithTensors] asked for
}

// Require ends the spec of t if TensorRT cannot be used on this machine: it is skipped with one
// line that says what to install, or fails with that line where MODELPARITY_REQUIRE names "trt" or
// "all". It belongs into a BeforeEach:
//
//	BeforeEach(func() { trt.Require(GinkgoT()) })
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available is the error that [Require] skips or fails a spec for, or nil. TensorRT's lean runtime
// builds nothing, so that it does only where [Library] or its variable names it.
func Available(options ...Option) error {
	s, err := resolve(options)
	if err != nil {
		return err
	}
	m, err := open(s)
	if err == nil && !m.library.CanBuild() && s.library == "" && os.Getenv(LibraryVariable) == "" {
		err = errLean(m.library)
	}
	return err
}

// New builds the model's engine, or finds it in the engine cache. The caller closes it. Cancelling
// ctx gives a build up at its next step. The process keeps TensorRT's builder after its first
// build, because making one takes seconds.
//
// Errors are an engine that is missing ([backends.Missing]), an option that is wrong or that this
// TensorRT lacks, a model that cannot be read or that its parser refuses, and a build that fails,
// with what TensorRT logged.
func New(ctx context.Context, model *loaders.Model, options ...Option) (*Engine, error) {
	s, err := resolve(options)
	if err != nil {
		return nil, err
	}
	sum, err := model.SHA256()
	if err == nil {
		err = s.build.Calibration.digest()
	}
	if err == nil {
		err = s.tactics.read(&s.build)
	}
	if err == nil {
		err = s.build.settle(model)
	}
	if err != nil {
		return nil, fmt.Errorf("trt: %w", err)
	}
	m, err := open(s)
	if err != nil {
		return nil, err
	}
	e := newEngine(m, s, model.Name(), sum)
	e.again = func(ctx context.Context, more Option) (*Engine, error) {
		return New(ctx, model, append(options[:len(options):len(options)], more)...)
	}
	w := &workshop{machine: m, model: model, log: e.log}
	if err := e.build(ctx, w, s); err != nil {
		_ = e.Close() // always nil
		return nil, fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), model.Name(), err)
	}
	return e, nil
}

// Run builds the model's engine, or finds it in the engine cache, runs it once over the inputs, and
// closes it:
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(MatchGolden("resnet18"))
//
// Where the model has dynamic shapes and no [Profile] is given, the profile is derived from the
// inputs as by [ProfileFrom]; the run's provenance says so. With [StripPlan] the engine is refitted
// with the model's weights. Use [New] to run one engine many times.
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	e, err := New(ctx, model, append(options[:len(options):len(options)], ProfileFrom(inputs))...)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if errors.Is(e.weights, errStripped) {
		if err := e.Refit(model); err != nil {
			return nil, err
		}
	}
	return e.Run(ctx, inputs)
}

// Load reads an engine from a plan file, whoever built it: TensorRT of the same version, on such a
// GPU. A plan without weights ([StripPlan]) runs after [Engine.Refit]. For a version-compatible
// plan give [VersionCompatible]; loading it runs code from the file.
func Load(path string, options ...Option) (*Engine, error) {
	s, err := resolve(options)
	if err == nil {
		err = s.tactics.refuse()
	}
	if err != nil {
		return nil, err
	}
	plan, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("trt: %w", err)
	}
	m, err := open(s)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plan)
	e := newEngine(m, s, filepath.Base(path), hex.EncodeToString(sum[:]))
	e.plan = plan
	session, err := m.load(plan, s, e.log, s.build.Marks.Debug, s.build.Marks.Unfused)
	if err != nil {
		_ = e.Close() // always nil
		return nil, fmt.Errorf("tensorrt %v: %s: %w", m.library.Version(), filepath.Base(path), err)
	}
	e.add(session)
	return e, nil
}

func newEngine(m machine, s settings, name, sum string) *Engine {
	return &Engine{machine: m, warmUp: s.run.warmUp, log: listen(m.library, s),
		turn: make(chan struct{}, 1), provenance: provenance(m, s, name, sum)}
}

func (e *Engine) add(session *session) {
	e.sessions = append(e.sessions, session)
	if session.stripped {
		e.weights = errStripped
	}
}

// build makes the engine's sessions.
func (e *Engine) build(ctx context.Context, w *workshop, s settings) error {
	main, err := w.cached(ctx, s, "")
	if err != nil {
		return err
	}
	e.plan = main.plan
	session, err := e.load(main.plan, s, e.log, main.listened(), s.build.Marks.Unfused)
	if err != nil {
		return err
	}
	e.add(session)
	e.inside = main.Inside
	for _, name := range main.Debug {
		one := s
		one.build.Marks.Debug = nil
		one.build.Marks.Unfused = false
		a, err := w.cached(ctx, one, name)
		if err != nil {
			return fmt.Errorf("debug tensor %q: %w", name, err)
		}
		tensors := []string{name}
		if a.AsOutput {
			tensors = nil
			set(&e.provenance.Options, "debug "+name, whyOutput(e.library.Version()))
		}
		session, err := e.load(a.plan, one, e.log, tensors, false)
		if err != nil {
			return fmt.Errorf("debug tensor %q: %w", name, err)
		}
		session.only = name
		if a.AsOutput && !slices.Contains(session.outputNames(), name) {
			session.Close()
			return fmt.Errorf("debug tensor %q: its engine gives %s instead", name,
				abridged(session.outputNames()))
		}
		e.add(session)
	}
	return nil
}

// Run infers every iteration of inputs, as [backends.Backend] says.
func (e *Engine) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if err := e.begin(ctx); err != nil {
		return nil, fmt.Errorf("tensorrt: %w", err)
	}
	defer e.end()
	if e.weights != nil {
		return nil, fmt.Errorf("tensorrt: %s: %w", e.provenance.Model, e.weights)
	}
	warmUp := e.warmUp
	var runtimes []time.Duration
	run, err := backends.Collect(ctx, e.provenance, backends.Subject{}, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			for ; warmUp > 0; warmUp-- {
				if _, err := e.infer(ctx, inputs); err != nil {
					return nil, fmt.Errorf("warm-up: %w", err)
				}
			}
			start := time.Now()
			outputs, err := e.infer(ctx, inputs)
			runtimes = append(runtimes, time.Since(start))
			return outputs, err
		})
	if err != nil {
		return nil, err
	}
	for i := range run.Iterations() {
		run.Iterations()[i].Runtime = runtimes[i]
	}
	return run, nil
}

// infer runs one set of inputs through the engine and through those of its debug tensors.
func (e *Engine) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	var entries []tensor.Entry
	for _, session := range e.sessions {
		outputs, err := session.infer(ctx, inputs)
		if err != nil {
			return nil, err
		}
		for _, output := range outputs {
			if session.only == "" || session.only == output.Name {
				entries = append(entries, output)
			}
		}
	}
	return tensor.NewSet(entries...)
}

var errClosed = errors.New("the engine is closed")

// begin waits for the engine, which one goroutine has at a time.
func (e *Engine) begin(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if e.closed {
		e.end()
		return errClosed
	}
	return nil
}

func (e *Engine) end() { <-e.turn }

// Save writes the engine as a plan file, whole or not at all. [Load] and NVIDIA's own tools read
// it. After [Engine.Refit] the plan has the weights that the refit brought, so that it runs as it
// is loaded; before, that of an engine built with [StripPlan] has none. A stripped plan that is
// saved with weights can be refitted again from TensorRT 10.14 on.
func (e *Engine) Save(path string) error {
	if err := e.begin(context.Background()); err != nil {
		return fmt.Errorf("tensorrt: %w", err)
	}
	defer e.end()
	if errors.Is(e.weights, errHalfRefitted) {
		return fmt.Errorf("tensorrt: %s: %w", e.provenance.Model, e.weights)
	}
	plan := e.plan
	if e.weightsOf != nil {
		var err error
		if plan, err = e.sessions[0].whole(); err != nil {
			return fmt.Errorf("tensorrt: %s: %w", e.provenance.Model, err)
		}
	}
	return wholefile.WriteBytes(path, plan)
}

// Close frees the engine's memory on the GPU, after a run that goes on. Closing twice is harmless.
func (e *Engine) Close() error {
	e.close.Do(func() {
		e.turn <- struct{}{}
		defer e.end()
		e.closed = true
		for _, session := range e.sessions {
			session.Close()
		}
		e.log.stop()
	})
	return nil
}
