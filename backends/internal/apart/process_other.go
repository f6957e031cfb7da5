//go:build !linux && !darwin

package apart

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/modelparity/modelparity/backends"
)

// supported returns an error if engines cannot run in their own processes on this system.
func supported() error {
	return &backends.Missing{Backend: "isolated", Reason: "engines cannot be isolated on " +
		runtime.GOOS, Remedy: "use Linux or macOS, or run the engine without isolation"}
}

var errUnsupported = errors.ErrUnsupported

func connection() ([]*os.File, io.ReadWriteCloser, error) { return nil, nil, errUnsupported }

func inherited(bool) io.ReadWriter   { return nil }
func self() (string, error)          { return "", errUnsupported }
func sacrifice()                     {}
func measurable() error              { return supported() }
func resident(int) int64             { return 0 }
func free() int64                    { return 0 }
func own(*exec.Cmd)                  {}
func killAll(int)                    {}
func sweep(int)                      {}
func killGroup()                     { os.Exit(1) }
func status(*os.ProcessState) string { return "it ended" }
func exited(int) string              { return "it ended" }
