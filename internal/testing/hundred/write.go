//go:build linux || darwin

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// write writes the models and the package of specs.
func write(dir string) error {
	folder := filepath.Join(dir, "nets")
	if err := os.MkdirAll(filepath.Join(folder, "testdata"), 0o755); err != nil {
		return err
	}
	for i := range *count {
		file := filepath.Join(folder, "testdata", fmt.Sprintf("net%03d.onnx", i))
		if err := os.WriteFile(file, network(i).Bytes(), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "nets_test.go"), []byte(specs), 0o644)
}

// specs is a suite as a user would write it.
const specs = `package nets_test

import (
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

func TestNets(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "nets")
}

var _ = Describe("Nets", func() {
	files, _ := filepath.Glob("testdata/*.onnx")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".onnx")
		It(name+" gives the outputs that we shipped", func(ctx SpecContext) {
			model := loaders.ONNX(file)
			Expect(ort.Run(ctx, model, fixtures.Random(model))).To(
				MatchGolden(name).Within(1e-5, 1e-5, Elementwise))
		})
	}
	It("are there", func() { Expect(files).NotTo(BeEmpty()) })
})
`

// network returns the i-th model, a small convolution with sizes and weights of its own.
func network(i int) onnxtest.Model {
	channels, size := 4+i%7, 8+i%9
	value := func(name string, channels, size int) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{1, channels, size, size}}}
	}
	weights := make([]float32, channels*3*3*3)
	for k := range weights {
		weights[k] = float32(math.Sin(float64(k+1) * float64(i+3)))
	}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Inputs:  value("x", 3, size),
		Outputs: value("y", channels, size-2),
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{int64(channels), 3, 3, 3},
			Raw: onnxtest.Float32s(weights...)}},
		Nodes: []onnxtest.Node{{Op: "Conv", In: []string{"x", "w"}, Out: []string{"z"}},
			{Op: "Relu", In: []string{"z"}, Out: []string{"y"}}},
	}}
}
