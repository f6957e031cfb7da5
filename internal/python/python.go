// Package python starts Python interpreters. Nothing else in the module does, so that no module of
// the folder that a command is called in runs because of its name.
package python

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Args is the command line of an interpreter that imports nothing from the working folder, nor from
// a script's. It needs Python 3.11; see [TooOld].
func Args(interpreter string, args ...string) []string {
	return append([]string{interpreter, "-P"}, args...)
}

// Env is what an interpreter's environment changes of this process's. An empty entry of PYTHONPATH,
// which `PYTHONPATH=$PYTHONPATH:lib` leaves by accident, means the working folder to Python.
func Env() []string {
	folders := slices.DeleteFunc(filepath.SplitList(os.Getenv("PYTHONPATH")),
		func(folder string) bool { return folder == "" })
	return []string{"PYTHONPATH=" + strings.Join(folders, string(filepath.ListSeparator))}
}

// Command is the interpreter as a command, with [Args] and [Env].
func Command(ctx context.Context, interpreter string, args ...string) *exec.Cmd {
	args = Args(interpreter, args...)
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(os.Environ(), Env()...)
	return command
}

// Isolated is an interpreter that reads neither the working folder, nor Python's variables, nor the
// user's own packages. Any Python 3 has this mode.
func Isolated(ctx context.Context, interpreter string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, interpreter, append([]string{"-I"}, args...)...)
}

// TooOld reports whether an interpreter that failed and said this is older than Python 3.11.
func TooOld(said string) bool { return strings.Contains(said, "Unknown option: -P") }
