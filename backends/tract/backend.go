package tract

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/sessions"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is one model that tract has loaded.
type backend struct {
	engine     engine
	model      *loaders.Model
	inputs     []loaders.Value
	outputs    []loaders.Value
	types      []tensor.ElementType // of the outputs
	plans      *plans               // the leased session
	lease      *sessions.Lease
	warmUp     int
	provenance backends.Provenance
}

// Open prepares the model for the first iteration of the inputs. Opening the same model again with
// the same options reuses the prepared model; see [backends.Unshared]. The model is prepared again,
// however, if it draws random numbers, or if tract reads it from a file because it exceeds 64 MiB
// or has external data.
//
// Every error is one line. It says that the engine is missing (see [ErrNoLibrary] and
// [backends.Missing]), that the model cannot be read, or that tract rejects it
// ([backends.Refusal]).
func (e engine) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	onnx, err := backends.ONNX("tract", model)
	if err != nil {
		return nil, err
	}
	b := &backend{engine: e, model: onnx, warmUp: s.WarmUp}
	if err := b.declare(); err != nil {
		return nil, fmt.Errorf("tract: %s: %w", onnx.Name(), err)
	}
	library, err := open(s.Library)
	if err != nil {
		return nil, err
	}
	if err := b.start(ctx, library, s, inputs); err != nil {
		refusals.NameFunctions(err, onnx)
		return nil, errors.Join(fmt.Errorf("tract %s: %s: %w%s", library.Version, onnx.Name(), err,
			guesses.Text(ctx, err, inputs.Notes())), b.Close())
	}
	return b, nil
}

// declare reads the model's declared inputs and outputs.
func (b *backend) declare() (err error) {
	if b.inputs, err = b.model.Inputs(); err != nil {
		return err
	}
	if b.outputs, err = b.model.Outputs(); err != nil {
		return err
	}
	if len(b.outputs) == 0 {
		return errors.New("the model has no outputs, so there is nothing to compute")
	}
	for _, in := range b.inputs {
		if !abi.Supports(in.Type) || in.Kind != loaders.Tensor {
			return unsupported("input", in)
		}
	}
	for _, out := range b.outputs {
		if out.Kind != loaders.Untyped && (!abi.Supports(out.Type) || out.Kind != loaders.Tensor) {
			return unsupported("output", out)
		}
		b.types = append(b.types, out.Type)
	}
	return b.connected()
}

// connected returns an error if the model has an output that nothing produces, because tract would
// then abort the process.
func (b *backend) connected() error {
	given, err := b.model.TensorNames()
	if err != nil {
		return err
	}
	for _, out := range b.outputs {
		if !given[out.Name] {
			return refusals.New(engineName, backends.InvalidModel,
				"no node produces the model's output %s", out.Name)
		}
	}
	return nil
}

// start opens the cache of the backend's plans. The cache has one plan for each set of input
// shapes. Other backends may use the same cache. If the cache has no plan for the first iteration
// of the inputs, start adds that plan.
func (b *backend) start(ctx context.Context, library *abi.Library, s *settings,
	inputs fixtures.Inputs) error {
	shared, err := b.engine.shared(s, library, b.model)
	if err != nil {
		return err
	}
	b.lease, err = sessions.Shared.Open(ctx, shared, b.model, func() (sessions.Session, error) {
		return newPlans(library, b.model, b.inputs, s.FP16)
	})
	if err != nil {
		return err
	}
	b.plans = b.lease.Session().(*plans)
	if b.provenance, err = b.describe(library, s); err != nil {
		return err
	}
	if err := b.prepare(ctx, inputs); err != nil {
		b.lease.Spoil()
		return err
	}
	return b.lease.Lend()
}

// prepare prepares the model for the first iteration of the inputs. Without iterations, it prepares
// the model for the declared shapes if all of them are fixed.
func (b *backend) prepare(ctx context.Context, inputs fixtures.Inputs) error {
	for set, err := range inputs.All() {
		if err != nil {
			return fmt.Errorf("inputs: %w", err)
		}
		values, err := b.feed(set)
		if err != nil {
			return err
		}
		_, err = b.plans.get(ctx, wantedFor(factsOf(values), values))
		return err
	}
	facts, known := declaredFacts(b.inputs)
	if !known {
		return nil
	}
	_, err := b.plans.get(ctx, wantedFor(facts, nil))
	if needsConstant(err) {
		return nil // the inputs of a run may supply the values
	}
	return err
}

func (b *backend) describe(library *abi.Library, s *settings) (backends.Provenance, error) {
	sum, err := b.model.SHA256()
	return backends.Provenance{Backend: "tract", Version: library.Version,
		Provider: "cpu", Model: b.model.Name(), ModelSHA256: sum,
		Options: s.text()}, err
}

// Run runs the model on every iteration of inputs.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	of := backends.Subject{Engine: b.engine, Model: b.model}
	run, err := backends.CollectWarm(ctx, b.provenance, of, inputs, b.warmUp, b.infer)
	if err == nil && b.plans.ignoresShapes() {
		run.Provenance.Options = maps.Clone(run.Provenance.Options)
		run.Provenance.Options["declared shapes"] = "inputs only"
	}
	return run, err
}

// Close returns at once. When the runs in progress have ended, the plans go back to the pool of
// sessions, which frees them unless other backends use them or may use them later.
func (b *backend) Close() error { return b.lease.Close() }

func (b *backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	values, err := b.feed(inputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.model.Name(), err)
	}
	if !b.lease.Enter() {
		return nil, backends.ErrClosed
	}
	defer b.lease.Leave()
	for {
		plan, err := b.plans.get(ctx, wantedFor(factsOf(values), values))
		if errors.Is(err, backends.ErrClosed) {
			return nil, err
		}
		if err != nil {
			b.lease.Spoil()
			return nil, fmt.Errorf("%s: %w", b.model.Name(), err)
		}
		got, err := plan.Run(ctx, at(values, plan.fed), b.types)
		switch {
		case errors.Is(err, abi.ErrClosed): // plans for other shapes replaced this one
			continue
		case err != nil:
			b.lease.Spoil()
			return nil, fmt.Errorf("%s: %w", b.model.Name(), explain(err))
		}
		return b.named(got)
	}
}
