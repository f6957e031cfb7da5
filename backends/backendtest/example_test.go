package backendtest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Acme is an engine of your own: a comparable value that opens models. This one runs the models of
// backendtest; yours calls its library where Reference stands.
type Acme struct{}

func (Acme) Text() string     { return "acme {}" }
func (Acme) String() string   { return "acme" }
func (Acme) GoString() string { return "acme.Engine()" }

// Open makes a model ready to run, or says in one line what is wrong with it.
func (a Acme) Open(_ context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("acme", model)
	if err != nil {
		return nil, err
	}
	b := &acmeModel{engine: a, model: m}
	if b.inputs, err = m.Inputs(); err != nil {
		return nil, err
	}
	b.sum, err = m.SHA256()
	return b, err
}

type acmeModel struct {
	engine Acme
	model  *loaders.Model
	inputs []loaders.Value
	sum    string
	closed atomic.Bool
}

// Run runs every iteration of the inputs; Collect draws them and heeds the context.
func (b *acmeModel) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if b.closed.Load() {
		return nil, backends.ErrClosed
	}
	p := backends.Provenance{Backend: "acme", Version: "1", Model: b.model.Name(), ModelSHA256: b.sum}
	of := backends.Subject{Engine: b.engine, Model: b.model}
	return backends.Collect(ctx, p, of, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			if err := backends.CheckInputs(b.inputs, inputs); err != nil {
				return nil, err
			}
			return backendtest.Reference(ctx, inputs)
		})
}

func (b *acmeModel) Close() error {
	b.closed.Store(true)
	return nil
}

// TestAcme holds the engine to everything that an engine must do. An engine that lacks element
// types says so by backendtest.Types, and must then refuse the others.
func TestAcme(t *testing.T) {
	backendtest.Test(t, Acme{},
		backendtest.Except("refuses an operator that it does not know", "Acme reads no nodes"))
}
