//go:build linux || darwin

package growth_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// specs of a suite, as many as are asked for.
var _ = Describe("A small model", func() {
	n, err := strconv.Atoi(os.Getenv(numberOfSpecs))
	if err != nil {
		n = 2
	}
	dims := []any{100}
	model := loaders.ONNXBytes("sin.onnx", onnxtest.Model{Graph: onnxtest.Graph{Name: "sin",
		Nodes:   []onnxtest.Node{{Op: "Sin", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}}}}.Bytes())

	BeforeEach(func() { ort.Require(GinkgoT()) })

	for i := range n {
		It(fmt.Sprintf("gives the same without optimisation on inputs %d", i), func(ctx SpecContext) {
			inputs := fixtures.Random(model, fixtures.Seed(int64(i)))
			Expect(ort.Run(ctx, model, inputs)).To(
				MatchOutputsWithin(1e-5, 1e-5, compare.Elementwise).
					Of(ort.Run(ctx, model, inputs, ort.OptimizationLevel(ort.OptimizeNone))))
		})
	}
})

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "growth")
}
