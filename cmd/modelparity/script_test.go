package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"modelparity": main})
}

// TestScripts runs the scripts of testdata/script, each in an empty folder. They see the models
// and the runs recorded by the real Polygraphy under $DATA, and have one command of their own:
//
//	exits STATUS PROGRAM ARGUMENT...
//	plant MODEL WEIGHT OUT
func TestScripts(t *testing.T) {
	data, err := filepath.Abs(filepath.Join("testdata", "polygraphy"))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs(filepath.Join("..", "..", "example_test"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	var noRuntime why
	ort.Need(&noRuntime)
	python := withPolygraphy()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", data)
			env.Setenv("EXAMPLES", examples)
			env.Setenv("XDG_CACHE_HOME", cache) // where ONNX Runtime lies; a script has no home
			env.Setenv(ort.LibraryVariable, os.Getenv(ort.LibraryVariable))
			env.Setenv("PYTHON", python)
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "ort":
				return need(name, string(noRuntime))
			case "polygraphy":
				if python == "" {
					return need(name, "no Python with polygraphy; run make setup-polygraphy")
				}
				return true, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "plant": plant},
		RequireExplicitExec: true,
	})
}

// need is whether a script may run, for the reason why something is missing; where that is
// required, missing it is an error.
func need(name, missing string) (bool, error) {
	if missing != "" && backends.Required(name) {
		return false, fmt.Errorf("%s (%s requires %s)", missing, backends.RequireVariable, name)
	}
	return missing == "", nil
}

// withPolygraphy finds a Python that has the real Polygraphy, or gives "".
func withPolygraphy() string {
	local, err := filepath.Abs(filepath.Join("..", "..", ".venv", "bin", "python"))
	if err != nil {
		return ""
	}
	for _, python := range []string{os.Getenv("MODELPARITY_PYTHON"), local, "python3"} {
		if python != "" && exec.Command(python, "-c", "import polygraphy, onnxruntime").Run() == nil {
			return python
		}
	}
	return ""
}

// exits runs a program and holds its exit status to the first argument.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		status = exit.ExitCode()
	}
	if status != want {
		ts.Fatalf("%s exited with %d, not with %d", args[1], status, want)
	}
}
