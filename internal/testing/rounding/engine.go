//go:build linux || darwin

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// libraryVariable is the environment variable with the path of the library that every suite opens;
// see engines.ONNXRuntime.Variable.
const libraryVariable = "ONNXRUNTIME_SHARED_LIBRARY_PATH"

// engine is a library that rounds differently. In the file log, the library records how many
// elements it changed. Each of the suites that run in parallel has its own engine.
type engine struct{ dir, library, log string }

// compile builds the library, which wraps this machine's ONNX Runtime, in dir.
func compile(ctx context.Context, root, dir string) (engine, error) {
	real := os.Getenv(libraryVariable)
	if real == "" {
		var err error
		if real, err = engines.ONNXRuntime.Path(); err != nil {
			return engine{}, err
		}
	}
	if _, err := os.Stat(real); err != nil {
		return engine{}, fmt.Errorf("%w; make setup fetches ONNX Runtime", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return engine{}, err
	}
	e := engine{dir: dir, library: filepath.Join(dir, "libonnxruntime.so"),
		log: filepath.Join(dir, "moved")}
	_, err := command(ctx, root, nil, cmp.Or(os.Getenv("CC"), "cc"), "-shared",
		"-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
		"-DREAL="+strconv.Quote(real), "-DLOG="+strconv.Quote(e.log), "-o", e.library,
		"internal/testing/rounding/library/rounding.c", "-ldl")
	return e, err
}

// suite is the test binary of a package, and the folder that it runs in.
type suite struct{ pkg, program, folder string }

// link compiles and links the test binary of a package of the module in dir, once for all of its
// runs. It does not run go vet, since the linter checks the code anyway.
func (e engine) link(ctx context.Context, dir, pkg string) (suite, error) {
	s := suite{pkg, filepath.Join(e.dir, filepath.Base(pkg)+".test"), filepath.Join(dir, pkg)}
	_, err := command(ctx, dir, []string{"GOWORK=off"}, "go", "test", "-c", "-vet=off",
		"-ldflags=-s -w", "-o", s.program, pkg)
	return s, err
}

// run runs a suite with the engine. flags are the flags of the test binary.
func (e engine) run(ctx context.Context, s suite, flags ...string) error {
	_, err := command(ctx, s.folder, []string{libraryVariable + "=" + e.library,
		"MODELPARITY_REQUIRE=ort", "MODELPARITY_LOCK=off", "CI=",
		"GOLDEN_UPDATE=", "GITHUB_STEP_SUMMARY=", "GOWORK=off"},
		s.program, append([]string{"-test.timeout=10m", "-test.paniconexit0"}, flags...)...)
	return err
}

// holds returns an error if the suite fails, or if the engine changed no bits. flags may exclude
// some specs.
func (e engine) holds(ctx context.Context, s suite, flags ...string) error {
	if err := os.Remove(e.log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := e.run(ctx, s, flags...); err != nil {
		return fmt.Errorf("%s fails with kernels that round differently: %w", s.pkg, err)
	}
	runs, moved, err := e.moved()
	if err != nil {
		return err
	}
	if moved == 0 {
		return fmt.Errorf("%s: no bit changed in %d runs, so the suite proves nothing", s.pkg, runs)
	}
	fmt.Printf("%-28s holds: %d elements changed in %d runs\n", s.pkg, moved, runs)
	return nil
}

// moved adds up the numbers in the log, in which each run has a line with the number of elements
// that changed.
func (e engine) moved() (runs, elements int, err error) {
	text, err := os.ReadFile(e.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	for line := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(line)
		if err != nil {
			return 0, 0, err
		}
		runs, elements = runs+1, elements+n
	}
	return runs, elements, nil
}

// command runs a command that must succeed, and returns its output.
func command(ctx context.Context, dir string, env []string, name string, args ...string,
) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	return rig.Do(cmd)
}
