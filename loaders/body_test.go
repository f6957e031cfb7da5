package loaders_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A body as a model", func() {
	names := func(values []loaders.Value, err error) (list []string) {
		GinkgoHelper()
		Expect(err).NotTo(HaveOccurred())
		for _, v := range values {
			list = append(list, v.String())
		}
		return list
	}

	It("has what it reads as inputs, and the constants around it", func() {
		m := onnxtest.Whole()
		graph := &m.Graph
		constant := onnxtest.Tensor{Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(3, 4)}
		graph.Nodes = append([]onnxtest.Node{{Op: "Constant", Out: []string{"k"},
			Attrs: []onnxtest.Attr{{Name: "value", Tensor: &constant}}}}, graph.Nodes...)
		graph.Nodes[5].Attrs[1].Graph = &onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Add", In: []string{"b", "w"}, Out: []string{"p"}},
				{Op: "Twice", Domain: "local", In: []string{"p"}, Out: []string{"q"}},
				{Op: "Mul", In: []string{"q", "k"}, Out: []string{"r"}}},
			Outputs: []onnxtest.Value{{Name: "r", Elem: 1}}}
		model := loaders.ONNXBytes("whole", m.Bytes())
		body, err := model.Body(5, "else_branch")
		Expect(err).NotTo(HaveOccurred())
		Expect(names(body.Inputs())).To(Equal([]string{"b tensor(float)[batch,2]"}))
		Expect(names(body.Outputs())).To(Equal([]string{"r tensor(float)"}))
		Expect(operators(body)).To(Equal([]string{"Add", "Twice", "Mul"}))
		Expect(body.Initializers()).To(ConsistOf(HaveField("Name", "w"), HaveField("Name", "k")))

		body, err = model.Body(5, "then_branch")
		Expect(err).NotTo(HaveOccurred())
		Expect(names(body.Inputs())).To(Equal([]string{"a untyped"}))
		body, err = model.Body(5, "then_branch", loaders.Value{Name: "a", Type: tensor.Float32})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(body.Inputs())).To(Equal([]string{"a tensor(float)"}))
	})

	DescribeTable("says what it lacks", func(node int, attribute, message string) {
		_, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Body(node, attribute)
		Expect(err).To(MatchError("loaders: model chain: " + message))
	},
		Entry("another attribute", 4, "body", `node 4: If has no graph "body"`),
		Entry("another node", 0, "body", `node 0: Relu has no graph "body"`),
		Entry("no node", 9, "body", "node 9: there is no such node: the graph has 5 nodes"),
	)
})
