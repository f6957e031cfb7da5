//go:build linux && cgo

package isolated_test

import (
	"fmt"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// BenchmarkRun measures what a process of its own costs a run, by the size of its one input and one
// output, and BenchmarkOpen what it costs to open a model.
func BenchmarkRun(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 16, 1 << 20, 100 << 20} {
		for _, e := range []backends.Engine{ort.Engine(), isolated.Engine(ort.Engine())} {
			b.Run(fmt.Sprintf("%dKiB/%v", size>>10, e), func(b *testing.B) {
				inputs := floats(b, size/4)
				backend, err := e.Open(b.Context(), negation(), inputs)
				if err != nil {
					b.Fatal(err)
				}
				defer backend.Close()
				b.SetBytes(int64(2 * size))
				for b.Loop() {
					if _, err := backend.Run(b.Context(), inputs); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, e := range []backends.Engine{ort.Engine(), isolated.Engine(ort.Engine())} {
		b.Run(fmt.Sprint(e), func(b *testing.B) {
			inputs := floats(b, 16)
			for b.Loop() {
				if _, err := backends.RunIn(b.Context(), e, negation(), inputs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func negation() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n"}}
	}
	return loaders.ONNXBytes("neg.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:  []onnxtest.Node{{Op: "Neg", In: []string{"x"}, Out: []string{"y"}}},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")}}}.Bytes())
}

func floats(b *testing.B, n int) fixtures.Inputs {
	b.Helper()
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of(make([]float32, n)...)})
	if err != nil {
		b.Fatal(err)
	}
	return fixtures.Of(set)
}
