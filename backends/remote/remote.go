// Package remote runs any engine on another machine, on which the suite itself does not run:
//
//	jetson := remote.Engine("ssh jetson", trt.Engine(trt.FP16()))
//	Expect(backends.RunIn(ctx, jetson, model, inputs)).To(MatchGolden("resnet18"))
//
// The command runs a program on the other machine and connects its standard input and output:
// "ssh jetson", "docker exec -i box", "kubectl exec -i pod --". It must not ask for a password.
// That machine needs a POSIX shell and the engine's libraries, but not Go. The program that runs
// there is a copy of this one, as with package isolated: a test binary needs no extra code.
//
// Properties of remote engines:
//
//   - The other machine must have this one's operating system and architecture. If not, opening the
//     engine returns an error that names both, and [Binary] names a binary for that machine.
//   - The program and the models are copied once. They stay in ~/.cache/modelparity/remote, under
//     their checksums, until nothing has used them for 30 days; with [Remove], they stay only as
//     long as the engine is open. Inputs and outputs go through the connection.
//   - Files that options of the engine name, such as plug-ins and plans, are on the other machine.
//     So are its libraries: [backends.SkipMissing] skips a spec if they are missing there.
//   - The provenance of a run has the engine's version there, and the machine as the option
//     "machine": its host name, operating system and architecture.
//   - An engine that crashes or hangs there, and a connection that ends, fail the run with an
//     [isolated.Crash]. The next run connects again.
//   - The program there ends, with all processes that it started, if this process ends, if the
//     connection ends, or if a run's context ends and the engine does not stop.
package remote

import (
	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/apart"
	"github.com/modelparity/modelparity/backends/isolated"
)

// Engine returns an engine that runs the given engine on a different machine. command, such as "ssh
// jetson", is a command line to which the engine appends the program to start there. Spaces
// separate its words; quotes are an error. The options are [Binary], [Remove], [isolated.Patience]
// and [isolated.Log].
func Engine(command string, engine backends.Engine, options ...isolated.Option) backends.Engine {
	return apart.Remote(command, engine, options...)
}

// Binary names the program to copy to the other machine. The option is needed if that machine's
// operating system or architecture differs from this one's. The program must be built from the same
// sources:
//
//	GOOS=linux GOARCH=arm64 go test -c -o suite.arm64 ./suite
//
// If the program contains an engine that is linked with cgo, building it here needs a C compiler
// for the other machine; otherwise build it there.
func Binary(path string) isolated.Option { return apart.Binary(path) }

// Remove makes the engine delete its files on the other machine when it is closed. The program and
// the model are therefore copied again each time the engine is opened.
func Remove() isolated.Option { return apart.Remove() }
