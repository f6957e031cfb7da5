//go:build linux || darwin

// Command start measures what the command takes from its start to its verdict on a small model,
// beside a C program that opens ONNX Runtime and a session and runs the model once. `make start`
// runs it.
//
// They run by turns, as does another build of the command if -beside names one. The library's sum
// is verified by the command in every run, from what is kept of an earlier one: the file has been
// read then, and has not changed since.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

var (
	turns  = flag.Int("turns", 100, "how often each runs")
	beside = flag.String("beside", "", "another build of the command, measured too")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context) error {
	library, err := engines.ONNXRuntime.Library()
	if err != nil {
		return fmt.Errorf("%w; make setup fetches it", err)
	}
	root, err := usermodule.Root(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "modelparity-start-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder left in the temporary one harms nobody
	model := filepath.Join(dir, "net.onnx")
	if err := os.WriteFile(model, network().Bytes(), 0o600); err != nil {
		return err
	}
	once, command := filepath.Join(dir, "once"), filepath.Join(dir, "modelparity")
	saved := filepath.Join(dir, "expected.json")
	for _, line := range [][]string{
		{"cc", "-O2", "-o", once, filepath.Join(root, "internal/testing/start/testdata/once.c"), "-ldl"},
		{"go", "build", "-o", command, "./cmd/modelparity"},
		{command, "run", model, "--onnxrt", "--save-outputs", saved},
	} {
		c := exec.CommandContext(ctx, line[0], line[1:]...)
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", line, err, out)
		}
	}
	verdict := []string{"run", model, "--onnxrt", "--load-outputs", saved, "--atol", "1e-5"}
	rows := []*row{
		{name: "a C program: library, session, one run", path: once,
			args: []string{library, model, "1", "3", "8", "8"}},
		{name: "modelparity: start to verdict", path: command, args: verdict, says: "PASSED"},
		{name: "modelparity version", path: command, args: []string{"version"}},
	}
	if *beside != "" {
		rows = append(rows, &row{name: "the other build: start to verdict", path: *beside,
			args: verdict, says: "PASSED"})
	}
	for range *turns {
		for _, r := range rows {
			if err := r.run(ctx); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d cores, %d turns, milliseconds:\n", runtime.NumCPU(), *turns)
	fmt.Printf("  %-40s %6s %6s %10s\n", "", "least", "median", "processors")
	for _, r := range rows {
		slices.Sort(r.wall)
		slices.Sort(r.processors)
		fmt.Printf("  %-40s %6.1f %6.1f %10.1f   %.2f of the C program's median\n", r.name, r.wall[0],
			median(r.wall), median(r.processors), median(r.wall)/median(rows[0].wall))
	}
	return nil
}

// row is a command, with what its runs took in milliseconds.
type row struct {
	name, path string
	args       []string
	says       string // in what it prints

	wall, processors []float64
}

func (r *row) run(ctx context.Context) error {
	c := exec.CommandContext(ctx, r.path, r.args...)
	c.Env = append(os.Environ(), enginelock.Variable+"=off", engines.ONNXRuntime.Variable+"=")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	start := time.Now()
	err := c.Run()
	took := time.Since(start)
	if err == nil && !bytes.Contains(out.Bytes(), []byte(r.says)) {
		err = errors.New("no " + r.says)
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", r.name, err, out.Bytes())
	}
	r.wall = append(r.wall, ms(took))
	r.processors = append(r.processors, ms(c.ProcessState.UserTime()+c.ProcessState.SystemTime()))
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

func median(sorted []float64) float64 { return sorted[len(sorted)/2] }

// network is a small convolution.
func network() onnxtest.Model {
	value := func(name string, dims ...any) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: dims}}
	}
	weights := make([]float32, 4*3*3*3)
	for i := range weights {
		weights[i] = float32(math.Sin(float64(i + 1)))
	}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Inputs:  value("x", 1, 3, 8, 8),
		Outputs: value("y", 1, 4, 6, 6),
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{4, 3, 3, 3},
			Raw: onnxtest.Float32s(weights...)}},
		Nodes: []onnxtest.Node{{Op: "Conv", In: []string{"x", "w"}, Out: []string{"z"}},
			{Op: "Relu", In: []string{"z"}, Out: []string{"y"}}},
	}}
}
