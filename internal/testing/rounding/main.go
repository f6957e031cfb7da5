//go:build linux || darwin

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
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

func main() { rig.Main("rounding", check, nil) }

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
var others = []other{
	{"./locate", nil}, // the longest first: two run beside each other
	{"./internal/cli", []string{"-test.skip=TestScripts/twin"}},
	{"./internal/demo", nil},
	{"./matchers", []string{"-test.skip=ExampleBeExactOnIntegers", "-ginkgo.skip=BeExactOnIntegers"}},
	{"./decode", []string{"-ginkgo.skip=has noise, which explains"}},
	{"./relations", []string{"-ginkgo.skip=(relation of steps|Relations of decoders) .*within noise"}},
}

type other struct {
	pkg   string
	flags []string
}

func check(ctx context.Context, r *rig.Rig) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	room := make(chan struct{}, min(runtime.NumCPU(), mostSuites))
	var group sync.WaitGroup
	// beside holds suites while others run, on an engine of their own. The first error stops all.
	beside := func(name string, hold func(e engine) error) {
		group.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			e, err := compile(ctx, r.Root, filepath.Join(r.Dir, name))
			if err == nil {
				err = hold(e)
			}
			if err != nil {
				stop(err)
			}
		})
	}
	only := flag.Args()
	for i, other := range others {
		if len(only) > 0 && !slices.Contains(only, other.pkg) {
			continue
		}
		beside(fmt.Sprint(i), func(e engine) error {
			s, err := e.link(ctx, r.Root, other.pkg)
			if err != nil {
				return err
			}
			return e.holds(ctx, s, other.flags...)
		})
	}
	if len(only) == 0 {
		beside(examples, func(e engine) error {
			return e.copied(ctx, r.Root, filepath.Join(r.Dir, "module"))
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// mostSuites is how many suites run beside each other: each has threads of its own.
const mostSuites = 4
