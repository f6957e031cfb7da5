package isolated

import (
	"context"
	"io"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
)

// Capabilities are the engine's, in processes of their own. This process asks for names of layers,
// which takes the engine's parser; what builds and runs is in the other one.
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
			return strings.TrimSpace(text + " Each part runs in a process of its own, so what the parts " +
				"measure is not shared, unless the options name a file for it.")
		}
	}
	return c
}

// around is another engine in a process of the same kind.
func (e engine) around(of backends.Engine) backends.Engine {
	e.of = of
	return e
}

// logged is the engine that writes its log, and what its process prints, to w.
func (e engine) logged(w io.Writer, verbose bool) backends.Engine {
	e.List = e.List.With(Log(w, verbose))
	return e
}

// parts is the engine that opens parts of the model, each in a process of its own. What parts share
// in one process, such as measured timings, they do not share across several.
func (e engine) parts(_ context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Engine, func(), error) {
	e.whole = &whole{model, inputs}
	return e, func() {}, nil
}
