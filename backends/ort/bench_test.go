package ort_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// BenchmarkRun measures the cost of a run without the model's own work.
func BenchmarkRun(b *testing.B) {
	ort.Require(b)
	backend, err := open(model("identity_float"))
	if err != nil {
		b.Fatal(err)
	}
	defer backend.Close()
	set, err := tensor.NewSet(in("x", tensor.Of[float32](1, 2, 3)))
	if err != nil {
		b.Fatal(err)
	}
	inputs := fixtures.Of(set)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := backend.Run(b.Context(), inputs); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFurtherSpec compares a whole run of a model that an earlier spec ran with a run that
// opens it: with the earlier spec's model value, and with its own, which reads the file again.
func BenchmarkFurtherSpec(b *testing.B) {
	ort.Require(b)
	for _, rows := range []int{16, 1 << 20} { // of 11 weights: 704 bytes, and 46 MB
		path := filepath.Join(b.TempDir(), "m.onnx")
		if err := os.WriteFile(path, rowSums(rows), 0o600); err != nil {
			b.Fatal(err)
		}
		inputs := fixtures.Of(must(tensor.NewSet(in("x", tensor.Of(make([]float32, 11)...)))))
		of := loaders.ONNX(path)
		again := func() *loaders.Model { return loaders.ONNX(path) }
		for _, c := range []struct {
			name   string
			engine backends.Engine
			model  func() *loaders.Model
		}{
			{"same model", ort.Engine(), func() *loaders.Model { return of }},
			{"same file", ort.Engine(), again},
			{"unshared", backends.Unshared(ort.Engine()), again},
		} {
			b.Run(fmt.Sprintf("%d weights/%s", 11*rows, c.name), func(b *testing.B) {
				must(backends.RunIn(b.Context(), c.engine, c.model(), inputs)) // the earlier spec
				for b.Loop() {
					must(backends.RunIn(b.Context(), c.engine, c.model(), inputs))
				}
			})
		}
	}
}

// rowSums has the first of its outputs only, so that weights are read and hardly computed with.
func rowSums(rows int) []byte {
	return onnxtest.Model{Graph: onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{11}}},
		Outputs: []onnxtest.Value{{Name: "y"}},
		Initializers: []onnxtest.Tensor{
			{Name: "w", Type: 1, Dims: []int64{int64(rows), 11}, Raw: make([]byte, 44*rows)},
			{Name: "i", Type: 7, Dims: []int64{1}, Raw: make([]byte, 8)}},
		Nodes: []onnxtest.Node{{Op: "Gather", In: []string{"w", "i"}, Out: []string{"r"}},
			{Op: "Mul", In: []string{"r", "x"}, Out: []string{"y"}}},
	}}.Bytes()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
