// Package fake stands in for an engine in your own specs: it returns fixed outputs or the outputs
// of a Go function, and can store wrong values in them. A fake is deterministic: with the same
// options and inputs, it gives the same run.
package fake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

type backend struct {
	engine backends.Engine // nil for a fake made by New
	model  fixtures.Declaration
	*settings
	wrong  error // the error in the options
	closed atomic.Bool
}

type engine struct{ option.List[settings] }

// Engine returns a fake engine. It opens any model, and does not check inputs against the
// model's declaration.
func Engine(options ...Option) backends.Engine { return engine{kind.List(options...)} }

// Open creates a fake of the model. The model may be nil.
func (e engine) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	s, err := e.Settings()
	switch {
	case err != nil:
		return nil, err
	case s.opens != nil:
		return s.opens(ctx, model, inputs)
	}
	return &backend{engine: e, model: model, settings: s}, nil
}

// New creates a fake that needs no model. Pass one of the options [Outputs], [Output], [Func] or
// [Echo]. Without it every run fails, because a fake without outputs could only hide a mistake.
func New(options ...Option) backends.Backend {
	b := &backend{}
	if b.settings, b.wrong = kind.List(options...).Settings(); b.wrong != nil {
		b.settings = &settings{Name: "fake"}
	} else if b.opens != nil {
		b.wrong = errors.New("fake: fake.Opens works only with fake.Engine")
	}
	return b
}

// Run returns the fake's outputs for each iteration of inputs.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return b.run(ctx, inputs, b.iterate)
}

// run implements the methods Run and runWithTensors.
func (b *backend) run(ctx context.Context, inputs fixtures.Inputs, infer backends.Infer) (
	*backends.Run, error) {
	switch {
	case b.wrong != nil:
		return nil, b.wrong
	case b.closed.Load():
		return nil, fmt.Errorf("%s: %w", b.Name, backends.ErrClosed)
	}
	return backends.Collect(ctx, backends.Provenance{Backend: b.Name},
		backends.Subject{Engine: b.engine, Model: b.model}, inputs, infer)
}

// Close makes further runs fail. Closing twice is harmless.
func (b *backend) Close() error {
	b.closed.Store(true)
	return nil
}

func (b *backend) iterate(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	if b.infer == nil && !b.Echo {
		return nil, errors.New("the fake has no outputs; pass fake.Outputs, fake.Func or fake.Echo")
	}
	outputs := inputs
	if !b.Echo {
		var err error
		if outputs, err = b.infer(ctx, inputs); err != nil {
			return nil, err
		}
	}
	for _, spoiler := range b.Spoil {
		var err error
		if outputs, err = spoiler.spoil(outputs); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// init registers the engine, so that other processes can recreate it from the result of its method
// Text; see [backends.Register].
func init() {
	backends.Register("fake", func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{list}, err
	})
}

// Capabilities returns what the fake can do: with the option [Inside], it can return the model's
// intermediate tensors.
func (e engine) Capabilities() backends.Capabilities {
	if s, err := e.Settings(); err != nil || s.inside == nil {
		return backends.Capabilities{}
	}
	return backends.Capabilities{RunWithTensors: runWithTensors}
}

// runWithTensors runs the fake and adds the named intermediate tensors to each iteration, after the
// outputs.
func runWithTensors(ctx context.Context, opened backends.Backend, inputs fixtures.Inputs,
	names []string) (*backends.Run, error) {
	b := opened.(*backend)
	return b.run(ctx, inputs, func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
		outputs, err := b.iterate(ctx, inputs)
		if err != nil {
			return outputs, err
		}
		inside, err := b.inside(ctx, inputs)
		if err != nil {
			return nil, err
		}
		added := map[string]*tensor.Tensor{}
		for name, t := range inside.All() {
			if _, twice := outputs.Get(name); !twice && slices.Contains(names, name) {
				added[name] = t
			}
		}
		return sets.With(outputs, added)
	})
}
