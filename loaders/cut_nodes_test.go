package loaders_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("cutting nodes that follow each other", func() {
	typed := onnxtest.Chain()
	typed.Graph.Values = append(typed.Graph.Values, onnxtest.Value{Name: "a", Elem: 1,
		Dims: []any{"batch", 2}})
	typed.Graph.Nodes = append([]onnxtest.Node{{Op: "Constant", Out: []string{"k"},
		Attrs: []onnxtest.Attr{{Name: "value", Tensor: &onnxtest.Tensor{Type: 1, Dims: []int64{2},
			Raw: onnxtest.Float32s(3, 4)}}}}}, typed.Graph.Nodes...)
	typed.Graph.Nodes[2].In[1] = "k" // the Add, now after Constant and Relu

	DescribeTable("gives what they read and what is read of them",
		func(first, last int, ops, inputs, outputs []string) {
			part, err := loaders.ONNXBytes("chain", typed.Bytes()).CutNodes(first, last)
			Expect(err).NotTo(HaveOccurred())
			Expect(operators(part)).To(Equal(ops))
			in, out := ends(part)
			Expect(in).To(Equal(inputs))
			Expect(out).To(Equal(outputs))
		},
		Entry("the first ones, of which bodies and others read", 1, 2,
			[]string{"Constant", "Relu", "Add"}, []string{"x tensor(float)[batch,2]"},
			[]string{"a tensor(float)[batch,2]", "b tensor(float)[batch,2]"}),
		Entry("one that takes a constant of a node", 2, 2, []string{"Constant", "Add"},
			[]string{"a tensor(float)[batch,2]"}, []string{"b tensor(float)[batch,2]"}),
		Entry("one whose body reads from outside", 5, 5, []string{"If"},
			[]string{"flag tensor(bool)[]", "a tensor(float)[batch,2]"}, []string{"e tensor(float)"}),
	)

	It("is an error where a type is not declared, and where there are no such nodes", func() {
		_, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).CutNodes(1, 1)
		Expect(err).To(MatchError(ContainSubstring(
			`the type of "a" is not declared: infer shapes first`)))
		for _, ends := range [][2]int{{-1, 0}, {2, 1}, {0, 5}} {
			_, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).CutNodes(ends[0], ends[1])
			Expect(err).To(MatchError(ContainSubstring("do not exist")))
		}
	})
})
