//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

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

var within = compare.Options{Checks: []compare.Check{
	compare.Within(1e-5, 1e-5, compare.Elementwise)}}

var curves = []curve{
	{"elements", "elements, compared elementwise", 1000, 100_000_000, elements(compare.Elementwise)},
	{"elements-median", "elements, by the median", 1000, 100_000_000, elements(compare.Median)},
	{"outputs", "outputs of 16 elements, compared", 1, 10_000, outputs},
	{"golden-outputs", "the same, as a golden file written and checked", 1, 10_000, goldenOutputs},
	{"nodes-read", "nodes with weights of 256 bytes, read and listed", 10, 100_000, nodesRead},
	{"nodes", "nodes of a chain, opened and run by ONNX Runtime", 10, 100_000, nodes(false)},
	{"nodes-marked", "the same with every tensor an output, twice, and compared", 10, 10_000,
		nodes(true)},
	{"iterations", "iterations of 4 kB, run twice and compared", 1, 10_000, iterations},
	{"specs", "specs of a Ginkgo suite, from its start to its end", 1, 10_000, specs},
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

func elements(stat compare.Stat) func(n int) (func() error, func(), error) {
	return func(n int) (func() error, func(), error) {
		a, b := moved(n)
		o := compare.Options{Checks: []compare.Check{compare.Within(1e-5, 1e-5, stat)}}
		return func() error {
			out, err := compare.Tensors(a, b, o)
			if err == nil && out.Verdict != compare.Pass {
				err = errors.New(out.Reason)
			}
			return err
		}, nothing, nil
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

func outputs(n int) (func() error, func(), error) {
	a, b, err := sets(n)
	return func() error { return passing(compare.Sets(a, b, within)) }, nothing, err
}

func goldenOutputs(n int) (func() error, func(), error) {
	a, b, err := sets(n)
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "modelparity-growth-")
	if err != nil {
		return nil, nil, err
	}
	run := backends.NewRun(backends.Provenance{Backend: "growth"}, backends.Iteration{Outputs: b})
	path := filepath.Join(folder, "outputs.json")
	return func() error {
		if err := golden.Write(path, run, golden.Options{}); err != nil {
			return err
		}
		r, err := golden.ReadReference(context.Background(), path)
		if err != nil {
			return err
		}
		return passing(compare.Sets(a, r.Run.Outputs()[0], within))
	}, func() { os.RemoveAll(folder) }, nil
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
func nodesRead(n int) (func() error, func(), error) {
	data := weighed(n)
	return func() error {
		m := loaders.ONNXBytes("chain.onnx", data)
		nodes, err := m.Nodes()
		if err == nil && len(nodes) != n {
			err = fmt.Errorf("%d nodes", len(nodes))
		}
		return err
	}, nothing, nil
}

// nodes opens and runs a chain again each time.
func nodes(marked bool) func(n int) (func() error, func(), error) {
	return func(n int) (func() error, func(), error) {
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
		}, nothing, nil
	}
}

func iterations(n int) (func() error, func(), error) {
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
	}, nothing, nil
}

// specs runs this package's suite, which it compiles first.
func specs(n int) (func() error, func(), error) {
	folder, err := os.MkdirTemp("", "modelparity-growth-")
	if err != nil {
		return nil, nil, err
	}
	program := filepath.Join(folder, "specs.test")
	if _, err := rig.Do(exec.Command("go", "test", "-c", "-o", program,
		"./internal/testing/growth")); err != nil {
		return nil, nil, err
	}
	return func() error {
		c := exec.Command(program, "-test.run", "^TestSpecs$")
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", numberOfSpecs, n))
		_, err := rig.Do(c)
		return err
	}, func() { os.RemoveAll(folder) }, nil
}

// numberOfSpecs is the environment variable with the number of specs in this package's suite.
const numberOfSpecs = "MODELPARITY_GROWTH_SPECS"
