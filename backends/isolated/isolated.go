// Package isolated runs any engine in a separate process, so that a crash of the engine fails one
// spec instead of the suite:
//
//	Expect(isolated.Run(ctx, tract.Engine(), model, inputs)).To(MatchGolden("resnet18"))
//
// The process runs the same program. It takes over while the program's packages are initialised,
// before main, TestMain and every spec, so a test binary needs no extra code. An engine can run
// there if its package registers it ([backends.Register]), as all engines of modelparity do.
//
// Properties of isolated engines:
//
//   - A run during which the process ends fails with a [*Crash], which holds the operation, the
//     cause and the process's last output. The cause is a signal, an exit, a panic, more memory
//     than [Memory] or a hang longer than [Patience]. The next run starts a new process.
//   - A process runs one model, and one run at a time, so that a crash can be assigned to a run.
//     Other runs wait.
//   - Runs have the engine's own provenance, so golden files are the same with and without
//     isolation.
//   - Options without text, such as a writer or a function, cannot be sent to the process: opening
//     the engine returns an error that names them.
//   - Only the last output of the process is kept, for a Crash; [Log] shows all of it, with the
//     engine's log.
//   - The process is the same program, so it initialises the variables and runs the init functions
//     of all packages that Go initialises before this package and the engine's.
//   - It needs Linux or macOS; memory limits need Linux.
package isolated

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Engine returns an engine that runs the given one in a process of its own. Two isolated engines
// are equal if their inner engines and their options are equal.
func Engine(of backends.Engine, options ...Option) backends.Engine {
	return engine{of: of, List: kind.List(options...)}
}

// Run runs the model once in the isolated engine. It calls [backends.RunIn] with [Engine]. To run a
// model many times in one process, open the engine instead.
func Run(ctx context.Context, of backends.Engine, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(of, options...), model, inputs)
}

// Releases returns the releases of an engine that the words name, the oldest first, each in a
// process of its own. A word is a release, such as "1.24.4", all patches of one, "1.24", or a range
// with both ends, "1.24..1.31". Releases fetches none: opening a missing one is an error that says
// what to run. The engine may be isolated already. Only ONNX Runtime has releases.
func Releases(of backends.Engine, words ...string) ([]backends.Release, error) {
	if _, already := of.(engine); !already {
		of = Engine(of)
	}
	releases := backends.CapabilitiesOf(of).Releases
	if releases == nil {
		return nil, fmt.Errorf("isolated: %v has no releases to choose from; only ONNX Runtime has", of)
	}
	return releases(words)
}

// engine is an engine that runs in its own process.
type engine struct {
	of backends.Engine
	option.List[settings]
	whole *whole // the model from which parts are cut, or nil
}

// whole is a model from which parts are cut, with the inputs of that model.
type whole struct {
	model  fixtures.Declaration
	inputs fixtures.Inputs
}

// Text returns the text of the process's limits, followed by the engine's text.
func (e engine) Text() string {
	if e.of == nil {
		return e.List.Text()
	}
	return e.List.Text() + " " + e.of.Text()
}

// String returns the engine in readable form: "tract FP16, isolated".
func (e engine) String() string {
	if e.of == nil {
		return "no engine, isolated"
	}
	return e.of.String() + ", " + e.List.String()
}

// GoString returns the engine as Go source: isolated.Engine(tract.Engine(tract.FP16())).
func (e engine) GoString() string {
	of := "nil"
	if e.of != nil {
		of = e.of.GoString()
	}
	return e.List.Call("Engine", of)
}

// Wrapped returns the inner engine. Generated code needs it: this engine's GoString contains the
// inner engine's, so the code must import the inner engine's package too.
func (e engine) Wrapped() fmt.GoStringer { return e.of }

// sendable returns an error if the engine cannot be recreated in another process.
func (e engine) sendable() error {
	if e.of == nil {
		return fmt.Errorf("isolated: no engine given")
	}
	if _, nested := e.of.(engine); nested {
		return fmt.Errorf("isolated: %v is already isolated", e.of)
	}
	if checked, ok := e.of.(interface{ Wrong() error }); ok {
		if err := checked.Wrong(); err != nil {
			return err
		}
	}
	if left := comments(e.of.GoString()); left != "" {
		return fmt.Errorf("isolated: %s has no text form, so it cannot be sent to another process; "+
			"drop the option, or run %v without isolation", left, e.of)
	}
	if _, err := backends.OpenText(e.of.Text()); err != nil {
		return fmt.Errorf("isolated: %v: %w", e.of, err)
	}
	return nil
}
