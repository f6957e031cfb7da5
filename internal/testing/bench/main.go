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
	"github.com/modelparity/modelparity/tensor"
)

var (
	elements = flag.Int("n", 20_000_000, "elements of each tensor")
	repeats  = flag.Int("repeats", 5, "number of runs; their median is reported")
	python   = flag.String("python", "", "Python interpreter with Polygraphy, to measure it too")
)

func main() { rig.Main("bench", run, nil) }

// benchCase is one row of the table.
type benchCase struct {
	stat   compare.Stat
	python string // Polygraphy's name for the statistic
	wanted string // the required share of the memory bandwidth, or speed relative to Polygraphy
	full   bool   // compute full statistics, not only the verdict
	nan    bool   // three in five of the actual values are NaN, so the comparison fails
}

var cases = []benchCase{
	{compare.Elementwise, "elemwise", "80 %", false, false},
	{compare.Max, "max", "80 %", false, false},
	{compare.Mean, "mean", "80 %", false, false},
	{compare.Median, "median", "60×", false, false},
	{compare.Quantile(0.99), "quantile", "60×", false, false},
	{compare.Elementwise, "elemwise", "30×", true, false},
	{compare.Elementwise, "elemwise", "twice the time of the row above", true, true},
}

func (c benchCase) title() string {
	switch {
	case c.nan:
		return "full report, 60 % of actual values NaN"
	case c.full:
		return "full report"
	}
	return string(c.stat)
}

func run(ctx context.Context, r *rig.Rig) error {
	actual, expected := draw(*elements)
	theirs, err := measurePython(ctx, r, actual, expected)
	if err != nil {
		return err
	}
	size := float64(len(actual.Bytes()) + len(expected.Bytes()))
	memory := readSpeed(expected.Bytes())
	fmt.Printf("%d float32 elements; %d cores, %s/%s, %s; this machine reads %.1f GB/s with all "+
		"cores\n\n", *elements, runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version(),
		memory/1e9)
	fmt.Println(rig.Head("check", "modelparity", "GB/s", "of memory bandwidth", "Polygraphy", "ratio",
		"wanted"))
	for _, c := range cases {
		seconds, err := measure(c, actual, expected)
		if err != nil {
			return err
		}
		polygraphy, ratio := "–", "–" // if it was not measured
		if t := theirs[c.title()]; t > 0 {
			polygraphy, ratio = span(t), fmt.Sprintf("%.0f×", t/seconds)
		}
		fmt.Println(rig.Row(c.title(), span(seconds), fmt.Sprintf("%.1f", size/seconds/1e9),
			fmt.Sprintf("%.0f %%", 100*size/seconds/memory), polygraphy, ratio, c.wanted))
	}
	return nil
}

func span(seconds float64) string {
	return time.Duration(seconds * 1e9).Round(10 * time.Nanosecond).String()
}

// measure returns the median time in seconds of one comparison. The comparison must fail if c.nan
// is set, and pass otherwise.
func measure(c benchCase, actual, expected *tensor.Tensor) (float64, error) {
	comparer, err := compare.Prepare(compare.Options{Checks: []compare.Check{
		compare.Within(tolerance, tolerance, c.stat)}})
	if err != nil {
		return 0, err
	}
	want := compare.Pass
	if c.nan {
		want, actual = compare.Fail, withNaN(actual)
	}
	once := func() error {
		out, err := comparer.Tensors(actual, expected)
		if err == nil && out.Verdict != want {
			err = fmt.Errorf("%s: %s: %s", c.title(), out.Verdict, out.Reason)
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
// which is assembly in Go's runtime, on two copies of data. The printed table gives all other
// measurements relative to this speed, so a wrong speed would distort the whole table. Therefore
// readSpeed measures three times as often as [measure] does. It returns the highest speed.
func readSpeed(data []byte) float64 {
	const piece = 1 << 18
	a, b := bytes.Clone(data), bytes.Clone(data)
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
func measurePython(ctx context.Context, r *rig.Rig, actual, expected *tensor.Tensor) (
	theirs map[string]float64, err error) {
	if *python == "" {
		fmt.Fprintln(os.Stderr, "bench: without -python INTERPRETER, Polygraphy is not measured")
		return nil, nil
	}
	if err := write(r.Dir, actual, expected, cases); err != nil {
		return nil, err
	}
	script := filepath.Join(r.Root, "internal/testing/bench/bench.py")
	took, err := rig.Succeed(exec.CommandContext(ctx, *python, script, r.Dir, fmt.Sprint(*repeats)))
	if err != nil {
		return nil, err
	}
	return theirs, json.Unmarshal([]byte(took.Stdout), &theirs)
}
