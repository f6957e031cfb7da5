// Package apart runs engines in other processes, for the packages isolated and remote. An isolated
// engine's process runs on this machine, a remote engine's process on another one.
package apart

import (
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
)

// Engine is an engine that runs in its own process.
type Engine struct {
	of   backends.Engine
	kind *option.Kind[settings] // &isolated or &remote
	option.List[settings]
	command string // starts a program on the other machine; "" on this one
	whole   *whole // the model from which parts are cut, or nil
}

// Isolated returns an engine that runs another engine in a separate process on this machine.
func Isolated(of backends.Engine, options ...Option) Engine {
	return Engine{of: of, kind: &isolated, List: isolated.List(options...)}
}

// Remote returns an engine that runs another engine on another machine.
func Remote(command string, of backends.Engine, options ...Option) Engine {
	return Engine{of: of, kind: &remote, List: remote.List(options...), command: command}
}

// whole is a model and its inputs. The engine opens parts that were cut from this model.
type whole struct {
	model  fixtures.Declaration
	inputs fixtures.Inputs
}

// remote reports whether the engine runs on another machine.
func (e Engine) remote() bool { return e.kind == &remote }

// name returns "isolated" or "remote", for messages.
func (e Engine) name() string { return e.kind.Name }

// Text returns the text from which another process recreates this engine: the options of its
// process, followed by the inner engine's text.
func (e Engine) Text() string {
	text := e.List.Text()
	if e.remote() {
		text += " " + strconv.Quote(e.command)
	}
	if e.of == nil {
		return text
	}
	return text + " " + e.of.Text()
}

// String returns the engine in readable form: "tract FP16, isolated", "tract, remote over ssh
// jetson".
func (e Engine) String() string {
	text := "no engine"
	if e.of != nil {
		text = e.of.String()
	}
	text += ", " + e.List.String()
	if e.remote() {
		text += " over " + e.command
	}
	return text
}

// GoString returns the engine as Go source: isolated.Engine(tract.Engine(tract.FP16())).
func (e Engine) GoString() string {
	of := "nil"
	if e.of != nil {
		of = e.of.GoString()
	}
	if e.remote() {
		return e.Call("Engine", strconv.Quote(e.command), of)
	}
	return e.Call("Engine", of)
}

// Wrapped returns the inner engine. A generator of Go code needs it to import the inner engine's
// package: the source that GoString returns contains the inner engine's source.
func (e Engine) Wrapped() fmt.GoStringer { return e.of }

// Packages returns the packages that the source returned by GoString may need in addition to the
// inner engine's packages.
func (e Engine) Packages() []string {
	const folder = "github.com/modelparity/modelparity/backends/"
	return []string{folder + isolated.Name, folder + remote.Name}
}

// sendable returns an error if the engine cannot be recreated in another process.
func (e Engine) sendable() error {
	if e.of == nil {
		return fmt.Errorf("%s: no engine given", e.name())
	}
	if nested, already := e.of.(Engine); already {
		return fmt.Errorf("%s: %v is already %s", e.name(), e.of, nested.name())
	}
	if checked, ok := e.of.(interface{ Wrong() error }); ok {
		if err := checked.Wrong(); err != nil {
			return err
		}
	}
	if left := comment.Regexp().FindStringSubmatch(e.of.GoString()); left != nil {
		return fmt.Errorf("%s: %s cannot be written as text, so it cannot be sent to another "+
			"process; drop the option, or run %v without isolation", e.name(), left[1], e.of)
	}
	if _, err := backends.OpenText(e.of.Text()); err != nil {
		return fmt.Errorf("%s: %v: %w", e.name(), e.of, err)
	}
	return nil
}
