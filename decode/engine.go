package decode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Engine returns an engine that runs decoders step by step, running each step in the inner engine.
// The new engine takes tokens ([Tokens]) as inputs; the package documentation describes its
// outputs. Other inputs of the model, such as an encoder's states, are passed unchanged to every
// step. With [State], the inputs are frames; see [Stream].
func Engine(inner backends.Engine, options ...Option) backends.Engine {
	return engine{inner: inner, List: kind.List(options...)}
}

// Run decodes tokens step by step. It is [backends.RunIn] with [Engine].
func Run(ctx context.Context, inner backends.Engine, model *loaders.Model, tokens fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(inner, options...), model, tokens)
}

// engine runs decoders step by step, each step in the inner engine.
type engine struct {
	inner backends.Engine
	option.List[settings]
	parts bool // also opens parts of a streaming model that lack its states
}

var errNoEngine = errors.New("decode: no engine to run the model in")

// init registers the engine, so that another process can recreate it from its Text.
func init() {
	backends.Register("decode", func(text string) (backends.Engine, error) {
		d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "decode ")))
		var own json.RawMessage
		if err := d.Decode(&own); err != nil {
			return nil, fmt.Errorf("decode: %q: %w", text, err)
		}
		list, err := kind.Read("decode " + string(own))
		if err != nil {
			return nil, err
		}
		rest := strings.TrimPrefix(text, "decode ")[d.InputOffset():]
		inner, err := backends.OpenText(strings.TrimSpace(rest))
		return engine{inner: inner, List: list}, err
	})
}

// Text returns the engine, its options and the inner engine in the form that other processes read.
func (e engine) Text() string {
	if e.inner == nil {
		return e.List.Text()
	}
	return e.List.Text() + " " + e.inner.Text()
}

// String describes the engine: "onnxruntime, token by token".
func (e engine) String() string {
	if e.inner == nil {
		return "no engine, " + e.words()
	}
	return e.inner.String() + ", " + e.words()
}

// words describes the options: "token by token Steps(4)".
func (e engine) words() string {
	if e.takesFrames() {
		return e.List.StringOf("frame by frame")
	}
	return e.List.String()
}

// takesFrames reports whether the inputs are the frames of a stream rather than tokens.
func (e engine) takesFrames() bool {
	s, err := e.Settings()
	return err == nil && len(s.States) > 0
}

// GoString returns the engine as Go source: decode.Engine(ort.Engine(), decode.Whole()).
func (e engine) GoString() string {
	inner := "nil"
	if e.inner != nil {
		inner = e.inner.GoString()
	}
	return e.List.Call("Engine", inner)
}

// GomegaString returns the engine as Gomega prints it.
func (e engine) GomegaString() string { return e.GoString() }

// Wrapped returns the inner engine, because generated source that contains this engine must also
// import the inner engine's package.
func (e engine) Wrapped() fmt.GoStringer { return e.inner }

// Capabilities returns the inner engine's capabilities. If a capability is a function that returns
// an engine, that engine also decodes step by step.
func (e engine) Capabilities() backends.Capabilities {
	inner := backends.CapabilitiesOf(e.inner)
	around := func(inner backends.Engine) backends.Engine {
		return engine{inner: inner, List: e.List, parts: e.parts}
	}
	c := inner.Around(e, around)
	if e.takesFrames() {
		c.Parts = e.streamParts
	} else if inner.Parts != nil {
		c.Parts = func(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
			backends.Engine, func(), error) {
			b, err := e.drives(model)
			if err != nil {
				return nil, nil, err
			}
			parts, forget, err := inner.Parts(ctx, model, b.shapes(inputs))
			if err != nil {
				return nil, forget, err
			}
			return around(parts), forget, nil
		}
	}
	return c
}

// With returns e with options added. It returns an error if e was not made by [Engine].
func With(e backends.Engine, options ...Option) (backends.Engine, error) {
	of, ok := e.(engine)
	if !ok {
		return nil, fmt.Errorf("%v does not decode step by step: make the run with decode.Run", e)
	}
	of.List = of.List.With(options...)
	return of, of.Wrong()
}
