//go:build linux || darwin

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// libraryVariable is the environment variable with the path of the library that every suite opens;
// see engines.ONNXRuntime.Variable.
const libraryVariable = "ONNXRUNTIME_SHARED_LIBRARY_PATH"

// engine is a library that rounds differently. The library records in the file log how many
// elements it changed. Each of the suites that run in parallel has its own engine.
type engine struct{ dir, library, log string }

// compile builds the library in dir. It wraps this machine's ONNX Runtime.
func compile(ctx context.Context, root, dir string) (engine, error) {
	real := os.Getenv(libraryVariable)
	if real == "" {
		var err error
		if real, err = engines.ONNXRuntime.Path(); err != nil {
			return engine{}, err
		}
	}
	if _, err := os.Stat(real); err != nil {
		return engine{}, fmt.Errorf("%w; run make setup to fetch ONNX Runtime", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return engine{}, err
	}
	e := engine{dir: dir, library: filepath.Join(dir, "libonnxruntime.so"),
		log: filepath.Join(dir, "moved")}
	_, err := rig.Run(ctx, root, nil, cmp.Or(os.Getenv("CC"), "cc"), "-shared",
		"-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
		"-DREAL="+strconv.Quote(real), "-DLOG="+strconv.Quote(e.log), "-o", e.library,
		"internal/testing/rounding/library/rounding.c", "-ldl")
	return e, err
}

// suite is the test binary of a package, and the folder that it runs in.
type suite struct{ pkg, program, folder string }

// link builds the test binary of a package of the module in dir. It does not run go vet, which is
// part of the linter.
func (e engine) link(ctx context.Context, dir, pkg string) (suite, error) {
	s := suite{pkg, filepath.Join(e.dir, filepath.Base(pkg)+".test"), filepath.Join(dir, pkg)}
	_, err := rig.Run(ctx, dir, []string{"GOWORK=off"}, "go", "test", "-c", "-vet=off",
		"-ldflags=-s -w", "-o", s.program, pkg)
	return s, err
}

// run runs a suite with the engine. flags are the flags of the test binary.
func (e engine) run(ctx context.Context, s suite, flags ...string) error {
	_, err := rig.Run(ctx, s.folder, []string{libraryVariable + "=" + e.library,
		"MODELPARITY_REQUIRE=ort", "MODELPARITY_LOCK=off", "CI=",
		"GOLDEN_UPDATE=", "GITHUB_STEP_SUMMARY=", "GOWORK=off"},
		s.program, append([]string{"-test.timeout=10m", "-test.paniconexit0"}, flags...)...)
	return err
}

// holds returns an error if the suite fails, or if the engine changed no elements. flags may
// exclude some specs.
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
		return fmt.Errorf("%s proves nothing: its %d runs changed no element", s.pkg, runs)
	}
	fmt.Printf("%-28s passes: %d elements changed in %d runs\n", s.pkg, moved, runs)
	return nil
}

// moved returns the number of the engine's runs, and the number of elements that it changed in them
// all. It reads both from the log, which has a line for each run.
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
