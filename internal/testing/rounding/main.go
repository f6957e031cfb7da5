// Command rounding runs the example suites, the demo and every other suite whose specs look at the
// numbers of real kernels on an ONNX Runtime that rounds differently, as another processor would:
// every output of the engine moves by a few units in the last place. `make rounding` runs it.
// Arguments are those of the other suites to run, and no example.
//
// The seam is the shared library itself: one that wraps the real one (see library/rounding.c) is
// compiled and named by ONNXRUNTIME_SHARED_LIBRARY_PATH. No Go file knows of it.
//
// Whatever the specs claim must hold, in each suite bits must have moved, and an update must keep
// every golden file as it is.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "rounding:", err)
		os.Exit(1)
	}
}

// examples is the folder of the suites that users copy.
const examples = "example_test"

// others are the packages of the checkout that look at numbers of real kernels. Those of
// backends/ort hold copies and exact arithmetic to the bit, which no kernel rounds.
//
// Noise of a decoder's caches is left out: each is a sum of few products, which this library moves
// by more than any order of adding them up does.
//
// What holds engines to exactness on integers is left out: it is there to catch a library that
// moves such sums, as this one does, and as no processor's own rounding can.
var others = []struct {
	pkg   string
	flags []string
}{
	{"./internal/demo", nil},
	{"./matchers", []string{"-skip=ExampleBeExactOnIntegers", "-ginkgo.skip=BeExactOnIntegers"}},
	{"./locate", nil},
	{"./decode", []string{"-ginkgo.skip=has noise, which explains"}},
	{"./relations", []string{"-ginkgo.skip=(relation of steps|Relations of decoders) .*within noise"}},
	{"./cmd/modelparity", []string{"-skip=TestScripts/twin"}},
}

func check(ctx context.Context) error {
	root, err := usermodule.Root(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "modelparity-rounding-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder left in the temporary one harms nobody
	e, err := compile(ctx, root, dir)
	if err != nil {
		return err
	}
	only := os.Args[1:]
	if len(only) == 0 {
		if err := e.copied(ctx, root, filepath.Join(dir, "module")); err != nil {
			return err
		}
	}
	for _, other := range others {
		if len(only) > 0 && !slices.Contains(only, other.pkg) {
			continue
		}
		if err := e.holds(ctx, root, other.pkg, other.flags...); err != nil {
			return err
		}
	}
	return nil
}
