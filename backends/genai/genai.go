// Package genai runs decoders in ONNX Runtime GenAI, a library with which applications generate
// text. The library computes masks and positions, and keeps the cache. Package decode drives the
// library like any other engine, so a spec can compare the results that an application would get
// with the results of the model itself:
//
//	Expect(decode.Run(ctx, genai.Engine(), model, tokens)).To(
//		MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(
//			decode.Run(ctx, ort.Engine(), model, tokens)))
//
// The library is opened at run time. If it is missing, [Require] skips a spec, and its message says
// what to run.
//
// Properties of the engine:
//
//   - It runs on the CPU, in the same ONNX Runtime as package ort.
//   - The configuration is generated from the model's inputs and outputs: input_ids,
//     attention_mask, position_ids, and a key and a value for each layer, with the names of
//     Hugging Face's exporters or GenAI's. A genai_config.json next to the model is not read: pass
//     its text to [Overlay], which can change any key.
//   - Each sequence of a batch has its own generator, because the library can append tokens only to
//     a single sequence. Padding is never passed to the library.
//   - The library counts positions from 0. The engine rejects decoders that have an encoder, merged
//     branches, a key and a value in one tensor, or caches of a fixed size.
package genai

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Engine returns ONNX Runtime GenAI with options: a value that can be kept, compared with ==,
// printed, and opened any number of times. Engines with the same options are equal. Opening an
// engine reports all invalid options.
func Engine(options ...Option) backends.Engine { return engine{kind.List(options...)} }

type engine struct{ option.List[settings] }

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{
		Threads: func(n int) (backends.Engine, error) { return engine{e.With(Threads(n))}, nil },
		Loop:    func(b backends.Backend) (backends.Loop, error) { return newLoop(b.(*backend)), nil },
		Rewind:  func(l backends.Loop, tokens int) error { return l.(*loop).rewind(tokens) },
	}
}

// init registers the engine, so that other processes can recreate it from its text; see
// [backends.Register].
func init() {
	backends.Register(backendName, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{list}, err
	})
}

// Run runs the model once over the inputs, as the first step of a sequence: input_ids and the
// model's other inputs, with empty caches. It calls [backends.RunIn] with [Engine]. To run all
// steps, use decode.Run.
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, options ...Option) (
	*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}
