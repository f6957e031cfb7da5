package apart

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// Capabilities returns the inner engine's capabilities. Engines that the capabilities create, such
// as the engine that Streams returns, also run in separate processes. Layers and NodeLayers are
// exceptions: they run the inner engine's parser in this process.
func (e Engine) Capabilities() backends.Capabilities {
	of := backends.CapabilitiesOf(e.of)
	c := of.Around(e, e.around)
	c.Neighborly = nil // the engine is not in this process
	c.Log = e.logged
	if of.Computed != nil {
		c.Computed = e.computed
	}
	if of.Passes != nil {
		c.Passes = e.passes
	}
	if of.RunWithTensors != nil {
		c.RunWithTensors = func(ctx context.Context, b backends.Backend, inputs fixtures.Inputs,
			names []string) (*backends.Run, error) {
			return b.(*backend).run(ctx, inputs, &names)
		}
	}
	if of.Loop != nil {
		c.Loop = func(b backends.Backend) (backends.Loop, error) { return b.(*backend).loop() }
	}
	if of.Rewind != nil {
		c.Rewind = func(l backends.Loop, tokens int) error { return l.(*loop).rewind(tokens) }
	}
	if of.Parts != nil {
		c.Parts = e.parts
		c.Caution = func() string {
			text := ""
			if of.Caution != nil {
				text = of.Caution()
			}
			return strings.TrimSpace(text + " Each part runs in its own process, so the parts share " +
				"timings only if the options name a timing cache.")
		}
	}
	return c
}

// around returns a copy of e with the same process options but a different inner engine.
func (e Engine) around(of backends.Engine) backends.Engine {
	e.of = of
	return e
}

// logged returns a copy of the engine that writes its log, and the output of its process, to w.
func (e Engine) logged(w io.Writer, verbose bool) backends.Engine {
	e.List = e.List.With(Log(w, verbose))
	return e
}

func (e Engine) computed(ctx context.Context, model *loaders.Model) (string, error) {
	answer, err := e.examine(ctx, model, computes)
	if err != nil {
		return "", err
	}
	return answer.Provenance.Computed, nil
}

func (e Engine) passes(ctx context.Context, model *loaders.Model) (names []string,
	optimised *loaders.Model, err error) {
	answer, err := e.examine(ctx, model, optimises)
	if err != nil {
		return nil, nil, err
	}
	data := answer.bytes("model")
	if data == nil {
		return nil, nil, fmt.Errorf("%w: no optimised model", errGarbage)
	}
	return answer.Passes, loaders.ONNXBytes(model.Name(), data), nil
}

// examine asks the engine about a model: question is [computes] or [optimises]. The engine answers
// in a separate process, because it may open a session or a library to find the answer.
func (e Engine) examine(ctx context.Context, model *loaders.Model, question string) (*message,
	error) {
	b, err := e.Open(ctx, model, fixtures.Of())
	if err != nil {
		return nil, err
	}
	defer b.Close() //nolint:errcheck // the answer is complete
	return b.(*backend).command(ctx, &session{doing: "examining " + b.(*backend).name()},
		&message{Does: question}, ran)
}

// parts returns an engine that opens each part of the model in a process of its own. The parts
// therefore cannot share data in memory, such as measured timings.
func (e Engine) parts(_ context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Engine, func(), error) {
	e.whole = &whole{model, inputs}
	return e, func() {}, nil
}
