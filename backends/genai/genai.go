// Package genai runs decoders in ONNX Runtime GenAI, the library that applications generate text
// with: it makes masks and positions itself, and keeps the cache. Package decode drives it as it
// drives any engine, so that what an application gets is held to what the model gives:
//
//	Expect(decode.Run(ctx, genai.Engine(), model, tokens)).To(
//		MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(
//			decode.Run(ctx, ort.Engine(), model, tokens)))
//
// The library is opened at run time. Where it is missing, [Require] skips a spec with one line that
// says what to run.
//
// What to know about it:
//
//   - It runs in the ONNX Runtime that package ort runs in, on the CPU.
//   - A model whose folder has a genai_config.json with its name runs with that file's names,
//     sizes, threads and lengths. How tokens are chosen has no effect, and any other key is an
//     error: the library would load code or write files for some. For any other model, the
//     configuration is made of its inputs and outputs: input_ids, attention_mask, position_ids,
//     and a key and a value for each layer, by the names of Hugging Face's exporters or of GenAI's.
//     [Overlay] changes either, without limits.
//   - Each sequence of a batch runs in a generator of its own: the library appends tokens to a
//     single sequence alone. Padding is not fed at all.
//   - It counts positions from 0. Decoders with an encoder, merged branches, key and value in one
//     tensor, or caches of a size of their own are refused.
package genai

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Engine is ONNX Runtime GenAI with options: a value that can be kept, compared by ==, printed, and
// opened any number of times. Engines with the same options are equal. Opening one reports
// everything wrong with the options.
func Engine(options ...Option) backends.Engine { return engine{kind.List(options...)} }

// engine is the library with options.
type engine struct{ option.List[settings] }

// Capabilities is what [backends.CapabilitiesOf] asks for.
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: func(n int) (backends.Engine, error) {
		return engine{e.With(Threads(n))}, nil
	}}
}

// init lets other processes open the engine by its text.
func init() {
	backends.Register(Name, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{list}, err
	})
}

// Run runs the model once over the inputs, as the first step of a text: input_ids, and what the
// model has beside it, with empty caches. It is [backends.RunIn] with [Engine]. decode.Run goes
// through all steps.
func Run(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, options ...Option) (
	*backends.Run, error) {
	return backends.RunIn(ctx, Engine(options...), model, inputs)
}
