package tract_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

func TestTract(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/tract")
}

var _ = Describe("tract, as every engine,", func() {
	for _, spec := range backendtest.Specs(tract.Engine(), backendtest.Types(types...)) {
		It(spec.Name, Serial, func(ctx SpecContext) {
			tract.Require(GinkgoT())
			spec.Run(ctx, GinkgoT())
		})
	}
})

// types are the element types that tract carries.
var types = []tensor.ElementType{tensor.Bool, tensor.Uint8, tensor.Uint16, tensor.Uint32,
	tensor.Uint64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Float16,
	tensor.Float32, tensor.Float64}

// unary is a model of one operator from x to y, both of ONNX's type elem and of one dynamic
// dimension.
func unary(op string, elem int32) *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: elem, Dims: []any{"n"}}
	}
	return graph(op, onnxtest.Graph{
		Nodes:  []onnxtest.Node{{Op: op, In: []string{"x"}, Out: []string{"y"}}},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")}})
}

func graph(name string, g onnxtest.Graph) *loaders.Model {
	return loaders.ONNXBytes(name, onnxtest.Model{Graph: g}.Bytes())
}

// float32s and int64s are ONNX's numbers.
const (
	float32s int32 = 1
	int64s   int32 = 7
)

// x is one iteration of the one input x.
func x(t *tensor.Tensor) fixtures.Inputs {
	GinkgoHelper()
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: t})
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

// values is the outputs' names with their text, such as "y: float32[2] [1 2]".
func values(set *tensor.Set) []string {
	var texts []string
	for name, t := range set.All() {
		texts = append(texts, name+": "+t.GomegaString())
	}
	return texts
}

// run runs a model and gives the outputs of its first iteration.
func run(ctx SpecContext, m *loaders.Model, inputs fixtures.Inputs, o ...tract.Option) []string {
	GinkgoHelper()
	result, err := tract.Run(ctx, m, inputs, o...)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Len()).To(Equal(1))
	return values(result.Outputs()[0])
}
