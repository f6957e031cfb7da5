package surgeon_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// example is the model that most specs change: y = relu(x·w) · (1 + 1).
func example() []byte {
	dims := []any{"batch", 4}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Add", In: []string{"one", "one"}, Out: []string{"two"}},
			{Op: "MatMul", Name: "product", In: []string{"x", "w"}, Out: []string{"a:0"}},
			{Op: "Relu", In: []string{"a:0"}, Out: []string{"b"}},
			{Op: "Mul", In: []string{"b", "two"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "one", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)},
			{Name: "w", Type: 1, Dims: []int64{4, 4}, Raw: onnxtest.Float32s(1, 2, 3, 4, 5, 6, 7, 8,
				9, 10, 11, 12, 13, 14, 15, 16)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}},
	}}.Bytes()
}

// operators lists the operators of a model's nodes.
func operators(m *loaders.Model) (list []string) {
	GinkgoHelper()
	nodes, err := m.Nodes()
	Expect(err).NotTo(HaveOccurred())
	for _, n := range nodes {
		list = append(list, n.Op)
	}
	return list
}
