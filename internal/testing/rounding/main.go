//go:build linux || darwin

// Command rounding runs the example suites, the demo, and every other suite that checks numbers of
// real kernels, with an ONNX Runtime that rounds differently, as on another processor: it changes
// every output by a few units in the last place. `make rounding` runs it. Its arguments are
// packages of [others]; with arguments, it runs only these packages and not the examples.
//
// It compiles a wrapper of the real library (see library/rounding.c) and sets
// ONNXRUNTIME_SHARED_LIBRARY_PATH to the wrapper's path, so no Go file changes.
//
// All specs must pass, elements must have changed in each suite, and an update must keep every
// golden file.
package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

func main() { rig.Main("rounding", check, nil) }

// examples is the folder with the suites that users copy.
const examples = "example_test"

// others lists the packages of this module whose specs check numbers of real kernels. It leaves out
// package backends/ort, whose specs expect exact results. Every real kernel computes these exactly,
// but the [wrapper] changes them. The flags exclude specs that fail for similar reasons, although
// nothing is wrong.
//
// The excluded specs are:
//
//   - Specs about the noise of a decoder's caches and of a stream's states. Each element is a sum
//     of few terms, so its measured noise is small, and the wrapper changes it by more than that.
//   - Specs that judge a single node, often an Add or Mul, by its own noise or by a tight
//     tolerance, for the same reason.
//   - The spec that compares the library with another release. It expects the first difference in
//     an Attention node. With the wrapper, the Neg node before it already differs.
//   - Specs that count runs, because more tensors differ with the wrapper.
//   - Specs that compare results with float64: one with a weight of 1e30, and specs of networks
//     that another engine computes in bfloat16. The wrapper changes every element of a row in
//     proportion to the largest one, which no correct kernel does.
//   - Specs about exact results on integers. They must fail if a library changes sums of integers.
//     The wrapper does so, but a processor's rounding never does.
var others = []other{
	// The longest suites come first, since suites run in parallel.
	{"./locate", []string{"-ginkgo.skip=neither engine is blamed for another weight|" +
		"what a search costs|measures only tensors that differ|that a later node enlarges|" +
		"names no node of engines that round otherwise|blames no node for it|" +
		"is not blamed for rounding|" +
		"and operands in another order are named|the node that stands out after many are excused|" +
		"the node that adds most is named"}},
	{"./internal/cli", []string{"-test.skip=TestScripts/twin"}},
	{"./internal/demo", nil},
	{"./matchers", []string{"-test.skip=ExampleBeExactOnIntegers",
		"-ginkgo.skip=BeExactOnIntegers|compares a run with a release in another process"}},
	{"./decode", []string{"-ginkgo.skip=has noise that explains|same stream in three engines|" +
		"A recurrent denoiser|" +
		"Silero's voice detector .*6 for OpenVINO"}},
	{"./relations", []string{"-ginkgo.skip=(relation of steps|Relations of decoders) .*within noise"}},
}

type other struct {
	pkg   string
	flags []string
}

func check(ctx context.Context, r *rig.Rig) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(runtime.NumCPU(), mostSuites))
	// parallel calls hold in a goroutine, with a new wrapper. The first error stops all goroutines.
	parallel := func(name string, hold func(w wrapper) error) {
		group.Go(func() error {
			w, err := compile(ctx, r.Root, filepath.Join(r.Dir, name))
			if err == nil {
				err = hold(w)
			}
			return err
		})
	}
	only := flag.Args()
	for i, other := range others {
		if len(only) > 0 && !slices.Contains(only, other.pkg) {
			continue
		}
		parallel(fmt.Sprint(i), func(w wrapper) error {
			s, err := w.link(ctx, r.Root, other.pkg)
			if err != nil {
				return err
			}
			return w.holds(ctx, s, other.flags...)
		})
	}
	if len(only) == 0 {
		parallel(examples, func(w wrapper) error {
			return w.copied(ctx, r.Root, filepath.Join(r.Dir, "module"))
		})
	}
	return group.Wait()
}

// mostSuites is the maximum number of suites that run in parallel; each has several threads.
const mostSuites = 4
