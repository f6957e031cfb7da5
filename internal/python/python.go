// Package python starts Python interpreters. All other packages use it, so that Python never
// imports a module from the working directory by accident.
package python

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Args returns the command line of an interpreter that imports nothing from the working directory
// or from a script's folder. It needs Python 3.11; see [TooOld].
func Args(interpreter string, args ...string) []string {
	return append([]string{interpreter, "-P"}, args...)
}

// Env returns the environment variables with which to start an interpreter, in addition to this
// process's: PYTHONPATH without its empty entries. Python treats an empty entry as the working
// directory, and `PYTHONPATH=$PYTHONPATH:lib` leaves one if the variable was empty.
func Env() []string {
	folders := slices.DeleteFunc(filepath.SplitList(os.Getenv("PYTHONPATH")),
		func(folder string) bool { return folder == "" })
	return []string{"PYTHONPATH=" + strings.Join(folders, string(filepath.ListSeparator))}
}

// Command returns a command that runs the interpreter with [Args] and [Env].
func Command(ctx context.Context, interpreter string, args ...string) *exec.Cmd {
	args = Args(interpreter, args...)
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(os.Environ(), Env()...)
	return command
}

// Isolated returns a command that runs the interpreter without access to the working directory,
// Python's environment variables and the user's own packages. Every version of Python 3 has this
// mode.
func Isolated(ctx context.Context, interpreter string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, interpreter, append([]string{"-I"}, args...)...)
}

// TooOld reports whether output, which a failed interpreter printed, shows that the interpreter is
// older than Python 3.11.
func TooOld(output string) bool { return strings.Contains(output, "Unknown option: -P") }
