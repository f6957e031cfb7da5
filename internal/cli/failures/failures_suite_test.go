package failures

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

func TestFailures(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "internal/cli/failures")
}

// width is the length of every vector in these models.
const width = 8

// network is x → MatMul → Add → Tanh, layers times: tensors m0, a0, t0, m1, … and y at the end. Its
// weights are orthogonal in expectation, so errors neither vanish nor explode on their way.
func network(layers int) onnxtest.Graph {
	random := rand.New(rand.NewPCG(1, 2))
	g := onnxtest.Graph{Name: "network",
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", width}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", width}}}}
	before := "x"
	for i := range layers {
		m, a, t := fmt.Sprint("m", i), fmt.Sprint("a", i), fmt.Sprint("t", i)
		if i == layers-1 {
			t = "y"
		}
		g.Nodes = append(g.Nodes,
			onnxtest.Node{Op: "MatMul", Name: "matmul" + m[1:], In: []string{before, "w" + m[1:]},
				Out: []string{m}},
			onnxtest.Node{Op: "Add", Name: "add" + m[1:], In: []string{m, "b" + m[1:]}, Out: []string{a}},
			onnxtest.Node{Op: "Tanh", Name: "tanh" + m[1:], In: []string{a}, Out: []string{t}})
		g.Initializers = append(g.Initializers,
			weights("w"+m[1:], random, 0.5, width, width), weights("b"+m[1:], random, 0.1, width))
		before = t
	}
	return g
}

func weights(name string, random *rand.Rand, scale float64, dims ...int64) onnxtest.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(random.NormFloat64() * scale)
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}
}

// side runs a graph in ONNX Runtime, as it is written.
func side(name string, g onnxtest.Graph) backends.Subject {
	model := loaders.ONNXBytes(name, onnxtest.Model{Graph: g}.Bytes())
	return backends.Subject{Engine: plain, Model: model, Inputs: fixtures.Random(model,
		fixtures.Seed(1), fixtures.Shape("x", 4, width), fixtures.ValRange(-1, 1))}
}

// in is a subject in an engine.
func in(e backends.Engine, s backends.Subject) backends.Subject {
	s.Engine = e
	return s
}

// plain is ONNX Runtime without optimisation.
var plain = ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))

// strict is the rule of these specs.
func strict() compare.Options {
	return compare.Options{Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}}
}

func names(nodes []loaders.Node) (list []string) {
	for _, n := range nodes {
		list = append(list, n.Name)
	}
	return list
}
