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
	"io"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/apart"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// Engine returns an engine that runs another engine in a separate process. Two isolated engines are
// equal if their inner engines and their options are equal.
func Engine(of backends.Engine, options ...Option) backends.Engine {
	return apart.Isolated(of, options...)
}

// Run runs the model once in the isolated engine. It calls [backends.RunIn] with [Engine]. To run a
// model many times in one process, open the engine instead.
func Run(ctx context.Context, of backends.Engine, model *loaders.Model, inputs fixtures.Inputs,
	options ...Option) (*backends.Run, error) {
	return backends.RunIn(ctx, Engine(of, options...), model, inputs)
}

// Releases returns one engine for each release that words select, the oldest release first. Each
// engine runs in its own process. A word is one release ("1.24.4"), all patches of a release
// ("1.24") or a range that includes both ends ("1.24..1.31"). Releases does not download anything:
// opening the engine of a missing release returns an error that says what to run. The engine passed
// to Releases must be ONNX Runtime, the only engine whose releases can be selected. It may be
// isolated already.
func Releases(of backends.Engine, words ...string) ([]backends.Release, error) {
	if _, already := of.(apart.Engine); !already {
		of = Engine(of)
	}
	releases := backends.CapabilitiesOf(of).Releases
	if releases == nil {
		return nil, fmt.Errorf("isolated: %v has no releases to choose from; use ort.Engine, the "+
			"only engine that has them", of)
	}
	return releases(words)
}

// Crash is the error for an engine whose process ended unexpectedly.
type Crash = apart.Crash

// Option limits the engine's process. An option prints itself as the Go call that creates it.
type Option = apart.Option

// Memory ends the process if its resident memory exceeds the given number of bytes. The largest
// memory so far is checked every 20 ms and before a result is used: a process may exceed the limit
// briefly, but the run then fails. Limits need Linux: on other systems the option is an error. Even
// without this option, if the machine's memory runs out, Linux kills the engine's process and not
// the test suite.
func Memory(bytes int64) Option { return apart.Memory(bytes) }

// Patience ends the engine's separate process if opening the model, or one iteration, takes longer
// than d. The default is 5 minutes, and 0 means no limit. The context of a run can stop the run
// earlier. Increase the limit for an engine that builds for a long time, such as TensorRT.
func Patience(d time.Duration) Option { return apart.Patience(d) }

// Log writes the output of the process to w. If the engine has a log of its own
// ([backends.Capabilities]), Log writes it too: a summary, or every detail if verbose is true. In a
// spec, pass GinkgoWriter. Without this option, output is shown only after a crash, and only the
// last lines.
func Log(w io.Writer, verbose bool) Option { return apart.Log(w, verbose) }
