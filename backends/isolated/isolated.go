// Package isolated runs any engine in a process of its own, so that what an engine does to its
// process fails one spec and not the suite:
//
//	Expect(isolated.Run(ctx, tract.Engine(), model, inputs)).To(MatchGolden("resnet18"))
//
// The process is another one of the same program. It takes over while the program's packages are
// initialised, before main, TestMain and every spec, so a test binary needs no line for it. An
// engine runs there if its package registers it ([backends.Register]), as all engines of
// modelparity do.
//
// What to know about it:
//
//   - A run that ends its process, by a signal, an exit, a panic, more memory than [Memory] or a
//     hang beyond [Patience], is a [*Crash]: what it was doing, why it ended and its last words.
//     The next run starts another process.
//   - A process runs one model, and one run at a time, so that a crash names the run. Others wait.
//   - Runs have the provenance of the engine itself, so golden files do not tell the two apart.
//   - What has no text, such as a writer or a function among the options, cannot be sent: opening
//     the engine is an error that names it.
//   - What the engine prints is kept for its last words; [Log] shows it, and the engine's own log.
//   - Package-level variables and init functions of packages that Go initialises before this one
//     and the engine's run in the process too, as in every process of the program.
//   - It needs Linux or macOS; limits of memory need Linux.
package isolated

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

// Engine returns the engine in a process of its own. Engines in equal processes are equal.
func Engine(of backends.Engine, options ...Option) backends.Engine {
	return engine{of: of, List: kind.List(options...)}
}

// Run runs the model once in the isolated engine, over the inputs. It is [backends.RunIn] with
// [Engine]; open the engine to run a model many times in one process.
func Run(ctx context.Context, of backends.Engine, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(of, options...), model, inputs)
}

// engine is an engine with a process of its own.
type engine struct {
	of backends.Engine
	option.List[settings]
	whole *whole // the model whose parts it opens, if its options are for that
}

// whole is the model that parts are cut from.
type whole struct {
	model  fixtures.Declaration
	inputs fixtures.Inputs
}

// Text is the text of the engine behind the limits of its process.
func (e engine) Text() string {
	if e.of == nil {
		return e.List.Text()
	}
	return e.List.Text() + " " + e.of.Text()
}

// String is the engine for people: "tract FP16, isolated".
func (e engine) String() string {
	if e.of == nil {
		return "no engine, isolated"
	}
	return e.of.String() + ", " + e.List.String()
}

// GoString is the engine as Go source: isolated.Engine(tract.Engine(tract.FP16())).
func (e engine) GoString() string {
	of := "nil"
	if e.of != nil {
		of = e.of.GoString()
	}
	return e.List.Call("Engine", of)
}

// Wrapped is the engine itself, whose package a file with this one's source imports as well.
func (e engine) Wrapped() fmt.GoStringer { return e.of }

// sendable is an error if another process cannot have the engine.
func (e engine) sendable() error {
	if e.of == nil {
		return fmt.Errorf("isolated: no engine given")
	}
	if _, nested := e.of.(engine); nested {
		return fmt.Errorf("isolated: %v runs in a process of its own already", e.of)
	}
	if checked, ok := e.of.(interface{ Wrong() error }); ok {
		if err := checked.Wrong(); err != nil {
			return err
		}
	}
	if left := comments(e.of.GoString()); left != "" {
		return fmt.Errorf("isolated: %s has no text, so another process cannot have it; "+
			"leave the option out, or run %v without isolation", left, e.of)
	}
	if _, err := backends.OpenText(e.of.Text()); err != nil {
		return fmt.Errorf("isolated: %v: %w", e.of, err)
	}
	return nil
}
