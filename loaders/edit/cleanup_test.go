package edit_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

var _ = Describe("Cleanup", func() {
	It("leaves out what no output needs, and keeps what bodies read", func() {
		model := onnxtest.Chain()
		model.Graph.Outputs = model.Graph.Outputs[2:] // e, of the If, which reads a
		clean, err := edit.Cleanup(loaders.ONNXBytes("m", model.Bytes()))
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(clean)).To(Equal([]string{"Relu x → a", "If flag → e"}))
		Expect(clean.Initializers()).To(BeEmpty())
		Expect(clean.Declared("b")).To(BeEmpty())
		Expect(clean.Inputs()).To(HaveLen(2))
	})

	It("leaves out an input with its default, and changes no byte where all is needed", func() {
		model := onnxtest.Chain()
		model.Graph.Inputs = append(model.Graph.Inputs, onnxtest.Value{Name: "unused", Elem: 1})
		clean, err := edit.Cleanup(loaders.ONNXBytes("m", model.Bytes()))
		Expect(err).NotTo(HaveOccurred())
		Expect(clean.Inputs()).To(HaveLen(2))
		Expect(clean.Initializers()).To(HaveLen(1))
		again, err := edit.Cleanup(clean)
		Expect(err).NotTo(HaveOccurred())
		want, err := clean.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Bytes()).To(Equal(want))
	})

	It("says which tensor nothing makes", func() {
		model := onnxtest.Chain()
		model.Graph.Nodes[1].In[1] = "lost"
		_, err := edit.Cleanup(loaders.ONNXBytes("m", model.Bytes()))
		Expect(err).To(MatchError(ContainSubstring(`tensor "lost" is used, but no node computes it`)))
	})
})

var _ = Describe("Sorted", func() {
	It("puts each node behind what it and its bodies need, and keeps the rest in order", func() {
		model := onnxtest.Chain()
		slices.Reverse(model.Graph.Nodes)
		sorted, err := edit.Sorted(loaders.ONNXBytes("m", model.Bytes()))
		Expect(err).NotTo(HaveOccurred())
		Expect(wiring(sorted)).To(Equal([]string{"Relu x → a", "If flag → e", "Abs x → d",
			"Add a w → b", "Neg b → c"}))
		Expect(edit.Sorted(sorted)).To(BeIdenticalTo(sorted))
	})

	It("refuses a cycle", func() {
		model := onnxtest.Chain()
		model.Graph.Nodes[0].In[0] = "c"
		_, err := edit.Sorted(loaders.ONNXBytes("m", model.Bytes()))
		Expect(err).To(MatchError(ContainSubstring(
			`the graph has a cycle through node 0, Relu "relu"`)))
	})
})
