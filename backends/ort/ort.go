// Package ort runs ONNX models in ONNX Runtime 1.24 or later. It opens ONNX Runtime's shared
// library at run time. If the library is missing, [Require] skips a spec, and its message says what
// to run.
package ort

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/native"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is one model in a session of ONNX Runtime.
type backend struct {
	engine     engine
	model      *loaders.Model
	session    *onnxruntime.Session
	lease      *sessions.Lease // the right to use the session
	inputs     []loaders.Value // the graph's inputs
	optional   []loaders.Value // inputs with an initializer as the default
	outputs    []string
	provenance backends.Provenance
	warmUp     int
}

type engine struct {
	option.List[settings]
	alone bool // does not share sessions
}

// Engine returns ONNX Runtime with options: a value that can be kept, compared with ==, printed,
// and opened any number of times. Engines with the same options are equal. Invalid options are all
// reported when the engine is opened.
func Engine(options ...Option) backends.Engine { return engine{List: kind.List(options...)} }

// Open loads an ONNX model into a session of ONNX Runtime. The caller closes the backend. On the
// CPU, opening the same model again with the same options reuses the open session, unless the
// options include a log, a configuration entry or custom operators, or the model draws random
// numbers; see [backends.Unshared].
//
// Open returns an error if options are invalid (one line for each), if the engine (see
// [ErrNoLibrary] and [backends.Missing]) or a provider is missing, if the model cannot be read, or
// if ONNX Runtime rejects the model, for example because of an unknown operator.
func (e engine) Open(ctx context.Context, declared fixtures.Declaration,
	_ fixtures.Inputs) (backends.Backend, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	model, err := backends.ONNX("onnxruntime", declared)
	if err != nil {
		return nil, err
	}
	b := &backend{engine: e, model: model, warmUp: s.WarmUp}
	if err = context.Cause(ctx); err == nil {
		err = b.declare()
	}
	if err != nil {
		return nil, fmt.Errorf("onnxruntime: %w", err)
	}
	custom, err := s.customOps()
	if err != nil {
		return nil, fmt.Errorf("onnxruntime: %w", err)
	}
	version, plugins, err := launch(s)
	if err != nil {
		return nil, err
	}
	options := s.session()
	// ONNX Runtime keeps a memory plan for each combination of shapes and never frees it.
	options.Varying = slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	})
	if err := b.ready(ctx, s, version, options); err != nil {
		return nil, errors.Join(fmt.Errorf("onnxruntime %s: %s: %w", version, model.Name(), err),
			b.Close())
	}
	if custom != "" {
		b.provenance.Options["custom_ops"] = custom
	}
	if plugins != "" {
		b.provenance.Options["plugin_ep"] = plugins
	}
	return b, nil
}

// ready opens the backend's session or takes a shared one, and sets the provenance of the backend's
// runs.
func (b *backend) ready(ctx context.Context, s *settings, version string,
	options onnxruntime.Options) error {
	described := describe(ctx, b.model, s, version)
	var err error
	b.lease, err = sessions.Shared.Open(ctx, b.engine.shared(s, version, options), b.model,
		func() (sessions.Session, error) {
			session, err := load(b.model, options)
			if err != nil {
				return nil, explain(err)
			}
			return session, nil
		})
	if err != nil {
		return err
	}
	b.session = b.lease.Session().(*onnxruntime.Session)
	if b.provenance, err = described(); err == nil {
		err = b.noteComputed(ctx, s)
	}
	if err == nil && s.accelerated() {
		err = b.placed(s)
	}
	if err == nil {
		err = b.lease.Lend()
	}
	return err
}

// placed checks that the session's nodes are on the requested providers, and records in the
// provenance which providers run them.
func (b *backend) placed(s *settings) error {
	parts, err := b.session.Assignment()
	if err != nil {
		return err
	}
	p := placed(s.order(), parts)
	if len(p) > 0 { // a model that consists only of constants has no nodes
		b.provenance.Provider = p.String()
	}
	return s.judge(p)
}

// Run runs the model once over the inputs:
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchGolden("resnet18"))
//
// It calls [backends.RunIn] with [Engine]. Further runs of the same model with the same options
// reuse the session; see [backends.Unshared].
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}

// declare reads the model's declared inputs and outputs.
func (b *backend) declare() error {
	outputs, err := b.model.Outputs()
	if err != nil {
		return err
	}
	b.outputs = loaders.Names(outputs)
	if len(outputs) == 0 {
		return fmt.Errorf("%s has no outputs, so there is nothing to compute", b.model.Name())
	}
	if b.inputs, err = b.model.Inputs(); err != nil {
		return err
	}
	b.optional, err = b.model.OverridableInitializers()
	return err
}

// load creates the session from the model's bytes in memory if possible. The provenance contains
// the checksum of exactly these bytes; the file may have changed since they were read.
func load(model *loaders.Model, options onnxruntime.Options) (*onnxruntime.Session, error) {
	if size, err := model.Size(); err != nil {
		return nil, err
	} else if size > native.Large && model.Dir() != "" { // a model without a folder is in memory
		path, remove, err := native.File(model, "model.onnx")
		if err != nil {
			return nil, err
		}
		session, err := onnxruntime.NewSessionFromFile(path, options)
		return session, errors.Join(err, remove())
	}
	model, err := model.WithoutLinks()
	if err != nil {
		return nil, err
	}
	data, err := model.Bytes()
	if err != nil {
		return nil, err
	}
	if files, err := model.ExternalData(); err != nil {
		return nil, err
	} else if len(files) > 0 {
		if options.Data, err = filepath.Abs(model.Dir()); err != nil {
			return nil, err
		}
	}
	return onnxruntime.NewSession(data, options)
}

// describe computes the provenance of the backend's runs. It does so in the background while the
// model is being loaded, because computing the checksum takes as long as loading.
func describe(ctx context.Context, model *loaders.Model, s *settings, version string) (
	described func() (backends.Provenance, error)) {
	if passing.In(ctx) {
		return func() (backends.Provenance, error) { return provenance(model, s, version, ""), nil }
	}
	sha256 := sync.OnceValues(model.SHA256)
	go sha256() //nolint:errcheck // the second call returns the error
	return func() (backends.Provenance, error) {
		sum, err := sha256()
		return provenance(model, s, version, sum), err
	}
}

func provenance(model *loaders.Model, s *settings, version, sum string) backends.Provenance {
	return backends.Provenance{
		Backend:     "onnxruntime",
		Version:     version,
		Provider:    s.order()[0],
		Model:       model.Name(),
		ModelSHA256: sum,
		Options:     s.text(),
	}
}

// Run runs the model on every iteration of inputs.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.CollectWarm(ctx, b.provenance,
		backends.Subject{Engine: b.engine, Model: b.model}, inputs, b.warmUp, b.infer)
}

// Close returns at once. When the runs in progress have ended, the session goes back to the pool of
// sessions, which closes it unless other backends use it or may use it later.
func (b *backend) Close() error { return b.lease.Close() }

func (b *backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	feeds, err := b.feeds(inputs, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.model.Name(), err)
	}
	if !b.lease.Enter() {
		return nil, backends.ErrClosed
	}
	defer b.lease.Leave()
	values, err := b.session.Loop().Step(ctx, feeds, b.outputs, nil)
	if err != nil {
		b.lease.Spoil()
		return nil, fmt.Errorf("%s: %w", b.model.Name(), explain(err))
	}
	return named(b.outputs, values)
}

// init registers the engine, so that other processes can recreate it from its text; see
// [backends.Register].
func init() {
	backends.Register(backendName, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{List: list}, err
	})
}

// shared returns the key under which backends share the model's session, or "" if it is not shared.
// A session is not shared if its preferred provider is not the CPU, because the session then
// occupies device memory. It is not shared either if it has custom operators, a log or
// configuration entries, because these take effect while a session is created.
func (e engine) shared(s *settings, version string, o onnxruntime.Options) string {
	if e.alone || s.accelerated() || s.log != nil || len(s.CustomOps) > 0 || len(s.Config) > 0 {
		return ""
	}
	return fmt.Sprintf("%s %s %+v", backendName, version, o)
}
