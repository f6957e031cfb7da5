package genai

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	abi "github.com/modelparity/modelparity/internal/genai"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// backend is one decoder that the library has loaded.
type backend struct {
	engine     engine
	model      *loaders.Model
	loaded     *abi.Model
	names      decoder
	inputs     []loaders.Value
	outputs    []loaders.Value
	warmUp     int
	provenance backends.Provenance
}

// Open loads the decoder. Every error is one line. It says that the engine is missing (see
// [ErrNoLibrary] and [backends.Missing]), that the model cannot be read, that the model is not a
// decoder, or that the library rejects it.
func (e engine) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	onnx, err := backends.ONNX("onnxruntime-genai", model)
	if err != nil {
		return nil, err
	}
	b := &backend{engine: e, model: onnx, warmUp: s.WarmUp}
	if err = context.Cause(ctx); err == nil {
		err = b.declare()
	}
	if err != nil {
		return nil, fmt.Errorf("onnxruntime-genai: %s: %w", onnx.Name(), err)
	}
	l, err := open(s.Library)
	if err != nil {
		return nil, err
	}
	if err = b.load(l, s); err == nil {
		b.provenance, err = b.describe(l, s)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("onnxruntime-genai: %s: %w", onnx.Name(), err), b.Close())
	}
	return b, nil
}

// declare reads the model's declared inputs and outputs.
func (b *backend) declare() (err error) {
	if b.inputs, err = b.model.Inputs(); err != nil {
		return err
	}
	b.outputs, err = b.model.Outputs()
	return err
}

func (b *backend) describe(l opened, s *settings) (backends.Provenance, error) {
	sum, err := b.model.SHA256()
	_, version, _ := onnxruntime.Running()
	p := backends.Provenance{Backend: "onnxruntime-genai", Version: l.version, Provider: "cpu",
		Model: b.model.Name(), ModelSHA256: sum,
		Options: map[string]string{"threads": strconv.Itoa(s.Threads), "onnxruntime": version}}
	if s.Overlay != "" {
		p.Options["overlay"] = s.Overlay
	}
	return p, err
}

// Run runs the model on every iteration of inputs. Each iteration is the first step of a new
// sequence.
func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	of := backends.Subject{Engine: b.engine, Model: b.model}
	return backends.CollectWarm(ctx, b.provenance, of, inputs, b.warmUp,
		func(ctx context.Context, set *tensor.Set) (*tensor.Set, error) {
			if err := backends.CheckInputs(b.inputs, set); err != nil {
				return nil, err
			}
			l := newLoop(b)
			defer l.Close() //nolint:errcheck // Close only frees memory
			return l.Step(ctx, set, loaders.Names(b.outputs), nil)
		})
}

// Close frees the model once all its sequences are closed. Closing twice is harmless.
func (b *backend) Close() error {
	if b.loaded != nil {
		b.loaded.Close()
	}
	return nil
}
