package edit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

var _ = Describe("Insert", func() {
	model := loaders.ONNXBytes("m", onnxtest.Chain().Bytes())

	It("replaces what lay between its inputs and its outputs", func() {
		other, err := edit.Insert(model, edit.NewNode{Op: "Fake", Domain: "mine", Name: "new",
			Inputs: []string{"x", "w"}, Outputs: []string{"c"}, Attributes: []edit.NodeAttribute{
				{Name: "i", Value: int64(-3)}, {Name: "f", Value: float32(0.5)}, {Name: "s", Value: "text"},
				{Name: "is", Value: []int64{1, 2}}, {Name: "fs", Value: []float32{1.5}},
				{Name: "ss", Value: []string{"a", "b"}}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(other)).To(Equal([]string{"Fake x w → c", "Relu x → a", "Abs x → d",
			"If flag → e"}))
		described, err := describe.Of(other, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(described.Nodes[0].Attributes).To(Equal([]describe.Attribute{{Name: "i", Text: "-3"},
			{Name: "f", Text: "0.5"}, {Name: "s", Text: `"text"`}, {Name: "is", Text: "[1,2]"},
			{Name: "fs", Text: "[1.5]"}, {Name: "ss", Text: `["a","b"]`}}))
		Expect(described.Nodes[0]).To(And(HaveField("Name", "new"), HaveField("Domain", "mine")))
		Expect(other.Outputs()).To(HaveLen(3))
	})

	It("stands in the way of a tensor, for nodes, bodies and outputs", func() {
		other, err := edit.Insert(model, edit.NewNode{Op: "Tanh", Inputs: []string{"a"},
			Outputs: []string{"a"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(other)).To(Equal([]string{"Relu x → a/before", "Tanh a/before → a", "Add a w → b",
			"Neg b → c", "Abs x → d", "If flag → e"}))
		Expect(other.Declared("b")).To(BeEmpty()) // it may have another type now

		other, err = edit.Insert(model, edit.NewNode{Op: "Tanh", Inputs: []string{"c"},
			Outputs: []string{"c"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(other)).To(ContainElements("Neg b → c/before", "Tanh c/before → c"))
	})

	It("does not take a weight that is an output for an input", func() {
		m := onnxtest.Chain()
		m.Graph.Outputs = append(m.Graph.Outputs, onnxtest.Value{Name: "w", Elem: 1, Dims: []any{2}})
		_, err := edit.Insert(loaders.ONNXBytes("m", m.Bytes()), edit.NewNode{Op: "Tanh",
			Inputs: []string{"w"}, Outputs: []string{"w"}})
		Expect(err).To(MatchError(ContainSubstring(
			`"w" is an output of the model and also an input or a weight, and no node can be inserted`)))
	})

	It("stands in the way of an input, which bodies read too", func() {
		body := onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Exp", In: []string{"x"}, Out: []string{"i"}}},
			Outputs: []onnxtest.Value{{Name: "i", Elem: 1}}}
		m := onnxtest.Chain()
		m.Graph.Nodes[4].Attrs = []onnxtest.Attr{{Name: "then_branch", Graph: &body},
			{Name: "else_branch", Graph: &body}}
		other, err := edit.Insert(loaders.ONNXBytes("m", m.Bytes()), edit.NewNode{Op: "Tanh",
			Inputs: []string{"x"}, Outputs: []string{"x"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(other)).To(ContainElements("Tanh x → x/after", "Relu x/after → a"))
		nodes, err := other.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(nodes[len(nodes)-1].Captured).To(Equal([]string{"x/after"}))
	})

	DescribeTable("refuses", func(n edit.NewNode, want string) {
		_, err := edit.Insert(model, n)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("an unknown tensor", edit.NewNode{Op: "Tanh", Inputs: []string{"q"},
			Outputs: []string{"c"}}, `no tensor "q" in the graph`),
		Entry("a node that gives nothing", edit.NewNode{Op: "Tanh", Inputs: []string{"x"}},
			"has no outputs"),
		Entry("a node that makes a weight", edit.NewNode{Op: "Tanh", Inputs: []string{"x"},
			Outputs: []string{"w"}}, `"w" is an input or weight`),
		Entry("a node whose outputs are all left out", edit.NewNode{Op: "Tanh", Inputs: []string{"x"},
			Outputs: []string{""}}, "the new node Tanh has no outputs"),
		Entry("a cycle", edit.NewNode{Op: "Tanh", Inputs: []string{"c"}, Outputs: []string{"a"}},
			"the graph has a cycle"),
		Entry("an attribute of another type", edit.NewNode{Op: "Tanh", Inputs: []string{"x"},
			Outputs: []string{"c"}, Attributes: []edit.NodeAttribute{{Name: "k", Value: true}}},
			"attribute k: bool is neither"))
})
