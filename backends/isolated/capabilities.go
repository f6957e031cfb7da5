package isolated

import (
	"context"
	"io"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
)

// Capabilities returns the engine's capabilities, in isolated processes. Only the names of layers,
// for which the engine's parser suffices, are determined in this process; building and running
// happens in the other one.
func (e engine) Capabilities() backends.Capabilities {
	of := backends.CapabilitiesOf(e.of)
	c := of.Around(e, e.around)
	c.Neighborly = nil // it is not in this process
	c.Log = e.logged
	if of.Parts != nil {
		c.Parts = e.parts
		c.Caution = func() string {
			text := ""
			if of.Caution != nil {
				text = of.Caution()
			}
			return strings.TrimSpace(text + " Each part runs in its own process, so the parts' " +
				"measurements are not shared, unless the options name a file for them.")
		}
	}
	return c
}

// around returns another engine isolated in the same way.
func (e engine) around(of backends.Engine) backends.Engine {
	e.of = of
	return e
}

// logged returns the engine that writes its log, and its process's output, to w.
func (e engine) logged(w io.Writer, verbose bool) backends.Engine {
	e.List = e.List.With(Log(w, verbose))
	return e
}

// parts returns the engine that opens parts of the model, each in its own process. Parts cannot
// share data in memory, such as measured timings, across processes.
func (e engine) parts(_ context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Engine, func(), error) {
	e.whole = &whole{model, inputs}
	return e, func() {}, nil
}
