//go:build linux || darwin

// Package growth_test measures how the cost of comparing grows with the number of elements,
// outputs, nodes of a model, iterations and specs; `make growth` runs it. docs/evidence/growth.txt
// holds the last committed measurements, for benchstat.
package growth_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/rig"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// curve is a cost that grows with a number.
type curve struct {
	name     string
	from, to int // powers of ten
	// of prepares work on n items, which may be done any number of times.
	of func(b *testing.B, n int) (work func() error, err error)
}

// BenchmarkGrowth measures work on n items, and the cost of each item. The yardstick has nothing to
// do with this project: it relates measurements of different machines.
func BenchmarkGrowth(b *testing.B) {
	for _, c := range curves {
		for n := c.from; n <= c.to; n *= 10 {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				work, err := c.of(b, n)
				for err == nil && b.Loop() {
					err = work()
				}
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
			})
		}
	}
}

var within = compare.Options{Checks: []compare.Check{
	compare.Within(1e-5, 1e-5, compare.Elementwise)}}

var curves = []curve{
	{"yardstick", 1, 1, yardstick},
	{"elements", 1000, 100_000_000, elements(compare.Elementwise)},
	{"elements-median", 1000, 100_000_000, elements(compare.Median)},
	{"outputs", 1, 10_000, outputs},
	{"golden-outputs", 1, 10_000, goldenOutputs},
	{"nodes-read", 10, 100_000, nodesRead},
	{"nodes", 10, 100_000, nodes(false)},
	{"nodes-marked", 10, 10_000, nodes(true)},
	{"iterations", 1, 10_000, iterations},
	{"specs", 1, 10_000, specs},
}

// yardstick is SHA-256 of 1 MiB.
func yardstick(*testing.B, int) (func() error, error) {
	data := make([]byte, 1<<20)
	return func() error { data[0] ^= sha256.Sum256(data)[0]; return nil }, nil
}

// passing returns an error unless the report passes.
func passing(report compare.Report, err error) error {
	if err == nil && report.Verdict != compare.Pass {
		err = errors.New(report.Reason)
	}
	return err
}

// moved returns n elements and nearly equal ones.
func moved(n int) (a, b *tensor.Tensor) {
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = float32(i%1009) / 8
		y[i] = x[i] * (1 + float32(i%7)*0x1p-24)
	}
	return tensor.Of(x...), tensor.Of(y...)
}

func elements(stat compare.Stat) func(*testing.B, int) (func() error, error) {
	return func(_ *testing.B, n int) (func() error, error) {
		a, b := moved(n)
		o := compare.Options{Checks: []compare.Check{compare.Within(1e-5, 1e-5, stat)}}
		return func() error {
			out, err := compare.Tensors(a, b, o)
			if err == nil && out.Verdict != compare.Pass {
				err = errors.New(out.Reason)
			}
			return err
		}, nil
	}
}

// sets returns n outputs and nearly equal ones.
func sets(n int) (a, b *tensor.Set, err error) {
	x, y := moved(16)
	left, right := make([]tensor.Entry, n), make([]tensor.Entry, n)
	for i := range left {
		name := fmt.Sprintf("output%d", i)
		left[i], right[i] = tensor.Entry{Name: name, Tensor: x}, tensor.Entry{Name: name, Tensor: y}
	}
	if a, err = tensor.NewSet(left...); err == nil {
		b, err = tensor.NewSet(right...)
	}
	return a, b, err
}

func outputs(_ *testing.B, n int) (func() error, error) {
	a, b, err := sets(n)
	return func() error { return passing(compare.Sets(a, b, within)) }, err
}

func goldenOutputs(b *testing.B, n int) (func() error, error) {
	actual, expected, err := sets(n)
	if err != nil {
		return nil, err
	}
	run := backends.NewRun(backends.Provenance{Backend: "growth"},
		backends.Iteration{Outputs: expected})
	path := filepath.Join(b.TempDir(), "outputs.json")
	return func() error {
		if err := golden.Write(path, run, golden.Options{}); err != nil {
			return err
		}
		r, err := golden.ReadReference(context.Background(), path)
		if err != nil {
			return err
		}
		return passing(compare.Sets(actual, r.Run.Outputs()[0], within))
	}, nil
}

// weighed is a chain of n nodes, each of which adds its own weights.
func weighed(n int) []byte {
	const width = 64
	dims := []any{width}
	weights := make([]float32, width)
	for i := range weights {
		weights[i] = float32(i) / width
	}
	raw := onnxtest.Float32s(weights...)
	g := onnxtest.Graph{Name: "chain", Inputs: []onnxtest.Value{{Name: "t0", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: fmt.Sprintf("t%d", n), Elem: 1, Dims: dims}}}
	for i := range n {
		weight := fmt.Sprintf("w%d", i)
		g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: weight, Type: 1,
			Dims: []int64{width}, Raw: raw})
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Add", Name: fmt.Sprintf("add%d", i),
			In: []string{fmt.Sprintf("t%d", i), weight}, Out: []string{fmt.Sprintf("t%d", i+1)}})
	}
	return onnxtest.Model{Graph: g}.Bytes()
}

// chain is a chain of n nodes without weights.
func chain(n int) []byte {
	dims := []any{16}
	g := onnxtest.Graph{Name: "chain", Inputs: []onnxtest.Value{{Name: "t0", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: fmt.Sprintf("t%d", n), Elem: 1, Dims: dims}}}
	for i := range n {
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Sin", Name: fmt.Sprintf("sin%d", i),
			In: []string{fmt.Sprintf("t%d", i)}, Out: []string{fmt.Sprintf("t%d", i+1)}})
	}
	return onnxtest.Model{Graph: g}.Bytes()
}

// nodesRead reads a chain again each time.
func nodesRead(_ *testing.B, n int) (func() error, error) {
	data := weighed(n)
	return func() error {
		m := loaders.ONNXBytes("chain.onnx", data)
		nodes, err := m.Nodes()
		if err == nil && len(nodes) != n {
			err = fmt.Errorf("%d nodes", len(nodes))
		}
		return err
	}, nil
}

// nodes opens and runs a chain again each time.
func nodes(marked bool) func(*testing.B, int) (func() error, error) {
	return func(_ *testing.B, n int) (func() error, error) {
		data := chain(n)
		engine := backends.Unshared(ort.Engine())
		return func() error {
			m := loaders.ONNXBytes("chain.onnx", data)
			if marked {
				var err error
				if m, _, err = m.Marked(loaders.Selection{All: true}); err != nil {
					return err
				}
			}
			a, err := backends.RunIn(context.Background(), engine, m,
				fixtures.Random(m, fixtures.Seed(1)))
			if err != nil || !marked {
				return err
			}
			b, err := backends.RunIn(context.Background(), engine, m,
				fixtures.Random(m, fixtures.Seed(1)))
			if err != nil {
				return err
			}
			return passing(compare.Runs(a.Outputs(), b.Outputs(), within))
		}, nil
	}
}

func iterations(_ *testing.B, n int) (func() error, error) {
	dims := []any{1000}
	m := loaders.ONNXBytes("sin.onnx", onnxtest.Model{Graph: onnxtest.Graph{Name: "sin",
		Nodes:   []onnxtest.Node{{Op: "Sin", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}}}}.Bytes())
	inputs := fixtures.Random(m, fixtures.Seed(1), fixtures.Iterations(n))
	return func() error {
		a, err := ort.Run(context.Background(), m, inputs)
		if err != nil {
			return err
		}
		b, err := ort.Run(context.Background(), m, inputs)
		if err != nil {
			return err
		}
		return passing(compare.Runs(a.Outputs(), b.Outputs(), within))
	}, nil
}

// specs runs this package's suite in a process of its own.
func specs(b *testing.B, n int) (func() error, error) {
	program, err := os.Executable()
	return func() error {
		_, err := rig.Run(b.Context(), "", []string{fmt.Sprintf("%s=%d", numberOfSpecs, n)}, program,
			"-test.run", "^TestSpecs$")
		return err
	}, err
}

// numberOfSpecs is the environment variable with the number of specs in this package's suite.
const numberOfSpecs = "MODELPARITY_GROWTH_SPECS"
