//go:build linux || darwin

// Command bench measures the speed of package compare, next to Polygraphy's on the same data and to
// this machine's memory bandwidth. It prints medians. `make bench` runs it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

var (
	elements = flag.Int("n", 20_000_000, "elements of each tensor")
	repeats  = flag.Int("repeats", 5, "number of runs, of which the median counts")
	python   = flag.String("python", "", "Python interpreter with Polygraphy, to measure it too")
)

func main() { rig.Main("bench", run, nil) }

// benchCase is one row of the table.
type benchCase struct {
	data   data
	stat   compare.Stat
	python string // Polygraphy's name for the statistic
	wanted string // the required share of the memory bandwidth, or speed relative to Polygraphy
	full   bool   // compute full statistics, not only the verdict
}

func (c benchCase) title() string {
	what := string(c.stat)
	if c.full {
		what = "full report"
	}
	return fmt.Sprintf("%s, %d elements, %s", c.data.name, c.data.actual.Len(), what)
}

func run(ctx context.Context, r *rig.Rig) error {
	float32s := makeFloat32(*elements)
	cases := []benchCase{
		{float32s, compare.Elementwise, "elemwise", "80 %", false},
		{float32s, compare.Max, "max", "80 %", false},
		{float32s, compare.Mean, "mean", "80 %", false},
		{float32s, compare.Median, "median", "60×", false},
		{float32s, compare.Quantile(0.99), "quantile", "60×", false},
		{float32s, compare.Elementwise, "elemwise", "30×", true},
	}
	for _, draw := range others {
		cases = append(cases, benchCase{draw(*elements), compare.Elementwise, "elemwise", "–",
			false})
	}
	theirs, err := measurePython(ctx, r, cases)
	if err != nil {
		return err
	}
	memory := readSpeed(float32s)
	fmt.Printf("%d cores, %s/%s, %s; this machine reads %.1f GB/s with all cores\n\n",
		runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version(), memory/1e9)
	fmt.Println(rig.Head("data and check", "modelparity", "GB/s", "of memory bandwidth", "Polygraphy",
		"ratio", "wanted"))
	for _, c := range cases {
		seconds, err := measure(c)
		if err != nil {
			return err
		}
		printRow(c, seconds, memory, theirs[c.title()])
	}
	return nil
}

// printRow prints one line of the table, with dashes if Polygraphy was not timed.
func printRow(c benchCase, seconds, memory, polygraphy float64) {
	size := float64(len(c.data.actual.Bytes()) + len(c.data.expected.Bytes()))
	theirs, ratio := "–", "–"
	if polygraphy > 0 {
		theirs, ratio = span(polygraphy), fmt.Sprintf("%.0f×", polygraphy/seconds)
	}
	fmt.Println(rig.Row(c.title(), span(seconds), fmt.Sprintf("%.1f", size/seconds/1e9),
		fmt.Sprintf("%.0f %%", 100*size/seconds/memory), theirs, ratio, c.wanted))
}

func span(seconds float64) string {
	return time.Duration(seconds * 1e9).Round(10 * time.Nanosecond).String()
}

// measure returns the median time in seconds of one comparison, which must pass.
func measure(c benchCase) (float64, error) {
	comparer, err := compare.Prepare(compare.Options{Checks: []compare.Check{
		compare.Within(c.data.atol, c.data.rtol, c.stat)}})
	if err != nil {
		return 0, err
	}
	once := func() error {
		out, err := comparer.Tensors(c.data.actual, c.data.expected)
		if err == nil && out.Verdict != compare.Pass {
			err = fmt.Errorf("%s does not pass: %s", c.title(), out.Reason)
		}
		if c.full {
			_ = out.Statistics()
		}
		return err
	}
	if err := once(); err != nil { // also warms up
		return 0, err
	}
	times := make([]float64, *repeats)
	for i := range times {
		start := time.Now()
		_ = once()
		times[i] = time.Since(start).Seconds()
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// readSpeed returns how many bytes per second all cores together can read. It calls bytes.Equal,
// which is assembly in Go's runtime, on two equal buffers of d's size. Because the table relates
// all other measurements to the result, readSpeed measures three times as often as they do, and
// returns the maximum.
func readSpeed(d data) float64 {
	const piece = 1 << 18
	a, b := bytes.Clone(d.expected.Bytes()), bytes.Clone(d.expected.Bytes())
	best := math.Inf(1)
	for range 3 * *repeats {
		var drawn atomic.Int64
		start := time.Now()
		var group sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			group.Go(func() {
				for lo := 0; lo < len(a); {
					lo = int(drawn.Add(1)-1) * piece
					from, to := min(lo, len(a)), min(lo+piece, len(a))
					if !bytes.Equal(a[from:to], b[from:to]) {
						panic("a copy differs from its original")
					}
				}
			})
		}
		group.Wait()
		best = min(best, time.Since(start).Seconds())
	}
	return float64(len(a)+len(b)) / best
}

// measurePython returns Polygraphy's times in seconds, by the title of the case. If no Python
// interpreter was set, it returns none.
func measurePython(ctx context.Context, r *rig.Rig, cases []benchCase) (
	theirs map[string]float64, err error) {
	if *python == "" {
		fmt.Fprintln(os.Stderr, "bench: without -python INTERPRETER, Polygraphy is not measured")
		return nil, nil
	}
	if err := write(r.Dir, cases); err != nil {
		return nil, err
	}
	script := filepath.Join(r.Root, "internal/testing/bench/bench.py")
	took, err := rig.Succeed(exec.CommandContext(ctx, *python, script, r.Dir, fmt.Sprint(*repeats)))
	if err != nil {
		return nil, err
	}
	return theirs, json.Unmarshal([]byte(took.Stdout), &theirs)
}
