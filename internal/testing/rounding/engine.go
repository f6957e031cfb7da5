package main

import (
	"bufio"
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
)

// libraryVariable names the library that every suite opens; see ort.LibraryVariable.
const libraryVariable = "ONNXRUNTIME_SHARED_LIBRARY_PATH"

// engine is the library that rounds differently, and the file that records what it moved. Suites
// that run beside each other have one each, so that what moved is each one's own.
type engine struct{ dir, library, log string }

// compile builds the library around the one that this machine has, in dir.
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
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	return e, command(ctx, root, nil, cc, "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
		"-DREAL="+strconv.Quote(real), "-DLOG="+strconv.Quote(e.log), "-o", e.library,
		"internal/testing/rounding/library/rounding.c", "-ldl")
}

// suite is the test binary of a package, and the folder that it runs in.
type suite struct{ pkg, program, folder string }

// link compiles and links the suite of a package of the module in dir, once for all its runs. The
// linter looks it over, so go vet does not do that again.
func (e engine) link(ctx context.Context, dir, pkg string) (suite, error) {
	s := suite{pkg, filepath.Join(e.dir, filepath.Base(pkg)+".test"), filepath.Join(dir, pkg)}
	return s, command(ctx, dir, []string{"GOWORK=off"}, "go", "test", "-c", "-vet=off",
		"-ldflags=-s -w", "-o", s.program, pkg)
}

// run runs a suite on the engine, with flags of the testing package and of others.
func (e engine) run(ctx context.Context, s suite, flags ...string) error {
	return command(ctx, s.folder, []string{libraryVariable + "=" + e.library,
		"MODELPARITY_REQUIRE=ort", "MODELPARITY_LOCK=off", "CI=",
		"GOLDEN_UPDATE=", "GITHUB_STEP_SUMMARY=", "GOWORK=off"},
		s.program, append([]string{"-test.timeout=10m", "-test.paniconexit0"}, flags...)...)
}

// holds is an error unless the suite's specs pass although bits moved. The flags leave some out.
func (e engine) holds(ctx context.Context, s suite, flags ...string) error {
	if err := os.Remove(e.log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := e.run(ctx, s, flags...); err != nil {
		return fmt.Errorf("%s does not hold where kernels round otherwise: %w", s.pkg, err)
	}
	runs, moved, err := e.moved()
	if err != nil {
		return err
	}
	if moved == 0 {
		return fmt.Errorf("%s: no bit moved in %d runs, so that it holds proves nothing", s.pkg, runs)
	}
	fmt.Printf("%-28s holds: %d elements moved in %d runs\n", s.pkg, moved, runs)
	return nil
}

// moved adds up the log: a line for each run, with the number of elements that it moved.
func (e engine) moved() (runs, elements int, err error) {
	f, err := os.Open(e.log)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return 0, 0, err
		}
		runs, elements = runs+1, elements+n
	}
	return runs, elements, lines.Err()
}

// command runs a command, and shows its output where it fails.
func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	_, err := output(ctx, dir, env, name, args...)
	return err
}

func output(ctx context.Context, dir string, env []string, name string, args ...string,
) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PWD="+dir), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "%s\n", out)
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}
