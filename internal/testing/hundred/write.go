//go:build linux || darwin

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
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

// writeBare writes a module with one spec that does not import modelparity, and returns the
// module's folder.
func writeBare(root, dir string) (string, error) {
	bare := filepath.Join(dir, "_bare") // the underscore keeps it out of ./...
	if err := os.Mkdir(bare, 0o755); err != nil {
		return "", err
	}
	if err := usermodule.Make(root, bare); err != nil {
		return "", err
	}
	return bare, os.WriteFile(filepath.Join(bare, "bare_test.go"), []byte(bareSpec), 0o644)
}

const bareSpec = `package bare_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestBare(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "bare")
}

var _ = It("holds", func() { Expect(1).To(Equal(1)) })
`

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

// network returns the i-th model: a small convolution or dense layer, with sizes and weights of its
// own.
func network(i int) onnxtest.Model {
	channels, size := 4+i%7, 8+i%9
	value := func(name string, dims ...any) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: dims}}
	}
	weights := func(name string, dims ...int64) onnxtest.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		for k := range values {
			values[k] = float32(math.Sin(float64(k+1) * float64(i+3)))
		}
		return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}
	}
	relu := onnxtest.Node{Op: "Relu", In: []string{"z"}, Out: []string{"y"}}
	if i%2 == 0 {
		return onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:       value("x", 1, 3, size, size),
			Outputs:      value("y", 1, channels, size-2, size-2),
			Initializers: []onnxtest.Tensor{weights("w", int64(channels), 3, 3, 3)},
			Nodes: []onnxtest.Node{
				{Op: "Conv", In: []string{"x", "w"}, Out: []string{"z"}}, relu},
		}}
	}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Inputs:  value("x", 4, 16*size),
		Outputs: value("y", 4, channels),
		Initializers: []onnxtest.Tensor{weights("w", int64(16*size), int64(channels)),
			weights("b", int64(channels))},
		Nodes: []onnxtest.Node{
			{Op: "Gemm", In: []string{"x", "w", "b"}, Out: []string{"z"}}, relu},
	}}
}
