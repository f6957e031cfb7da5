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

// wrapper is a library that calls ONNX Runtime and changes its outputs slightly, as other rounding
// would. The library records in a log file how many elements it changed. Suites that run in
// parallel each have their own wrapper.
type wrapper struct{ dir, library, log string }

// compile builds a wrapper of this machine's ONNX Runtime in dir.
func compile(ctx context.Context, root, dir string) (wrapper, error) {
	real := os.Getenv(libraryVariable)
	if real == "" {
		var err error
		if real, err = engines.ONNXRuntime.Path(); err != nil {
			return wrapper{}, err
		}
	}
	if _, err := os.Stat(real); err != nil {
		return wrapper{}, fmt.Errorf("%w; run make setup to fetch ONNX Runtime", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return wrapper{}, err
	}
	w := wrapper{dir: dir, library: filepath.Join(dir, "libonnxruntime.so"),
		log: filepath.Join(dir, "moved")}
	_, err := rig.Run(ctx, root, nil, cmp.Or(os.Getenv("CC"), "cc"), "-shared",
		"-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
		"-DREAL="+strconv.Quote(real), "-DLOG="+strconv.Quote(w.log), "-o", w.library,
		"internal/testing/rounding/library/rounding.c", "-ldl")
	return w, err
}

// suite is the test binary of a package, and the folder that it runs in.
type suite struct{ pkg, program, folder string }

// link builds the test binary of a package of the module in dir. It does not run go vet, which is
// part of the linter.
func (w wrapper) link(ctx context.Context, dir, pkg string) (suite, error) {
	s := suite{pkg, filepath.Join(w.dir, filepath.Base(pkg)+".test"), filepath.Join(dir, pkg)}
	_, err := rig.Run(ctx, dir, []string{"GOWORK=off"}, "go", "test", "-c", "-vet=off",
		"-ldflags=-s -w", "-o", s.program, pkg)
	return s, err
}

// run runs a suite with the wrapper. flags are the flags of the test binary.
func (w wrapper) run(ctx context.Context, s suite, flags ...string) error {
	_, err := rig.Run(ctx, s.folder, []string{libraryVariable + "=" + w.library,
		"MODELPARITY_REQUIRE=ort", "MODELPARITY_LOCK=off", "CI=",
		"GOLDEN_UPDATE=", "GITHUB_STEP_SUMMARY=", "GOWORK=off"},
		s.program, append([]string{"-test.timeout=10m", "-test.paniconexit0"}, flags...)...)
	return err
}

// holds returns an error if the suite fails with the wrapper. It also returns an error if the
// wrapper changed no element of an output, because the suite then passes in any case. flags may
// exclude some specs.
func (w wrapper) holds(ctx context.Context, s suite, flags ...string) error {
	if err := os.Remove(w.log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := w.run(ctx, s, flags...); err != nil {
		return fmt.Errorf("%s fails if kernels round differently: %w", s.pkg, err)
	}
	runs, changed, err := w.changes()
	if err != nil {
		return err
	}
	if changed == 0 {
		return fmt.Errorf("%s was not tested: in its %d runs, the wrapper changed no element of "+
			"ONNX Runtime's outputs", s.pkg, runs)
	}
	fmt.Printf("%-28s passes with %d changed elements in outputs of %d runs\n", s.pkg, changed, runs)
	return nil
}

// changes returns how many times the wrapper ran a model, and how many elements of outputs it
// changed in total. It reads both from the log, which has a line for each run.
func (w wrapper) changes() (runs, elements int, err error) {
	text, err := os.ReadFile(w.log)
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
