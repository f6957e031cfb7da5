//go:build linux || darwin

// Command rounding runs the example suites, the demo and every other suite that checks numbers of
// real kernels on an ONNX Runtime that rounds differently, as on another processor: every output of
// the engine moves by a few units in the last place. `make rounding` runs it. Its arguments are the
// other suites to run, without the examples.
//
// It replaces the shared library: a wrapper of the real one (see library/rounding.c) is compiled
// and named by ONNXRUNTIME_SHARED_LIBRARY_PATH, so no Go file is involved.
//
// All specs must pass, bits must have moved in each suite, and an update must keep every golden
// file.
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

// others are the packages of the checkout that check numbers of real kernels. Package
// backends/ort is excluded: its specs check copies and exact arithmetic bit for bit, which no real
// kernel rounds.
//
// Noise of a decoder's caches is excluded: each is a sum of few products, which this library moves
// by more than any order of additions would.
//
// Exactness on integers is excluded: it is meant to catch a library that moves such sums, which
// this one does but no processor's rounding can.
var others = []other{
	{"./locate", nil}, // the longest first: suites run in parallel
	{"./internal/cli", []string{"-test.skip=TestScripts/twin"}},
	{"./internal/demo", nil},
	{"./matchers", []string{"-test.skip=ExampleBeExactOnIntegers", "-ginkgo.skip=BeExactOnIntegers"}},
	{"./decode", []string{"-ginkgo.skip=has noise that explains"}},
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
	// parallel checks suites while others run, each on its own engine. The first error stops all.
	parallel := func(name string, hold func(e engine) error) {
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
		parallel(fmt.Sprint(i), func(e engine) error {
			s, err := e.link(ctx, r.Root, other.pkg)
			if err != nil {
				return err
			}
			return e.holds(ctx, s, other.flags...)
		})
	}
	if len(only) == 0 {
		parallel(examples, func(e engine) error {
			return e.copied(ctx, r.Root, filepath.Join(r.Dir, "module"))
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// mostSuites is the number of suites that run in parallel; each has threads of its own.
const mostSuites = 4
