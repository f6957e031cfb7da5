// Package ahead starts ONNX Runtime while the command that will need it is still starting itself.
// Only the command imports it: a suite's process is its user's.
//
// The library takes 17 ms to start on one core, and the command 3 to 5 until it opens a session:
// other packages are initialised, flags and files read. The two go side by side.
package ahead

import (
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

func init() {
	if Wanted(os.Args[1:]) {
		go Begin()
	}
}

// Wanted reports whether a command line runs a model in ONNX Runtime within its own process.
func Wanted(args []string) bool {
	return len(args) > 1 && args[0] == "run" && slices.Contains(args, "--onnxrt") &&
		!slices.ContainsFunc(args, func(arg string) bool {
			return arg == "-h" || arg == "--help" || strings.Contains(arg, "subprocess")
		})
}

// Begin starts the library that a search would find first, the cache's, if it was checked before
// and has not changed since: nothing of any other runs. It tells no error; whoever needs the
// library starts it again, which takes no time where it runs, and hears of everything.
func Begin() {
	if os.Getenv(engines.ONNXRuntime.Variable) != "" {
		return
	}
	choice, err := enginelock.Choose(engines.ONNXRuntime)
	if err != nil || !onnxruntime.Recent(choice.Version) {
		return
	}
	if path, ok := choice.Checked(); ok {
		_ = onnxruntime.Start(path)
	}
}
