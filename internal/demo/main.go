// Command demo shows in a minute what modelparity does: a real suite passes; one weight of its
// model changes; the suite fails and says where; and the user accepts the change. `make demo` runs
// it.
//
// The checkout is not modified: the demo runs in a copy of the digits suite, in a temporary module.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// The suite that the demo copies, relative to the module's root, and the suite's model, relative to
// the suite.
const (
	suite = "./example_test/digits"
	model = "testdata/digits.onnx"
)

// The weight that the demo changes. It links the first feature to class 0.
const (
	weight   = "classes.weight"
	position = 0
	moved    = 0.25
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := demo(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo returns an error if a step of the demo has an unexpected result.
func demo(ctx context.Context, out io.Writer) error {
	root, err := usermodule.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "modelparity-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover temporary folder is harmless
	if err := usermodule.Make(root, dir, suite); err != nil {
		return err
	}
	return tell(story{ctx: ctx, out: out, dir: dir})
}

// tell runs the demo's four steps in the copy of the suite.
func tell(s story) error {
	s.say("1. Plain specs compare a trained classifier of handwritten digits with its golden file.")
	if err := s.goTest(0, suite); err != nil {
		return err
	}
	was, is, err := changeWeight(filepath.Join(s.dir, suite, model), weight, position, moved)
	if err != nil {
		return err
	}
	s.say("2. One weight of %s changes: %s[%d] was %.4g and is now %.4g.",
		filepath.Base(model), weight, position, was, is)
	if err := s.goTest(1, suite); err != nil {
		return err
	}
	s.say("3. The change was intended, so accept it. The update reports how far each output moved.")
	if err := s.goTest(0, "-v", suite, "-golden.update"); err != nil {
		return err
	}
	s.say("4. The new outputs are now golden.")
	return s.goTest(0, suite)
}

// story says where one demo runs and where its output goes.
type story struct {
	ctx context.Context
	out io.Writer
	dir string // the root of the temporary module
}

func (s story) say(format string, args ...any) {
	fmt.Fprintf(s.out, "\n### "+format+"\n", args...)
}

// goTest runs `go test` on the suite as a user would and shows the output. It returns an error
// unless the exit status is the expected one.
func (s story) goTest(expected int, arguments ...string) error {
	args := append([]string{"test"}, arguments...)
	fmt.Fprintf(s.out, "\n$ go %s\n", strings.Join(args, " "))
	cmd := exec.CommandContext(s.ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, s.out, s.out
	cmd.Env = append(os.Environ(), "PWD="+s.dir, "GOWORK=off",
		"CI=", "GOLDEN_UPDATE=", "GITHUB_STEP_SUMMARY=",
		"MODELPARITY_REQUIRE=ort")
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return err
	}
	if status := cmd.ProcessState.ExitCode(); status != expected {
		return fmt.Errorf("go %s: exit status %d, want %d", strings.Join(args, " "), status, expected)
	}
	return nil
}
