package edit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

var _ = Describe("WithInputShapes", func() {
	model := loaders.ONNXBytes("m", onnxtest.Chain().Bytes())

	It("changes input shapes, and drops declarations that depended on them", func() {
		other, err := edit.WithInputShapes(model, map[string][]loaders.Dim{
			"x": {{Size: 4}, {Size: -1, Symbol: "width"}}})
		Expect(err).NotTo(HaveOccurred())
		inputs, err := other.Inputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(inputs[0].String()).To(Equal("x tensor(float)[4,width]"))
		Expect(inputs[1].String()).To(Equal("flag tensor(bool)[]"))
		outputs, err := other.Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(outputs[0].String()).To(Equal("c tensor(float)[?,?]"))
		Expect(outputs[2].String()).To(Equal("e tensor(float)")) // had no shape
		Expect(other.Declared("b")).To(BeEmpty())
	})

	It("refuses what is not an input", func() {
		_, err := edit.WithInputShapes(model, map[string][]loaders.Dim{"w": {}})
		Expect(err).To(MatchError(ContainSubstring(
			`the model has no input "w": the inputs are ["flag" "x"]`)))
	})
})

var _ = Describe("WithOutputs", func() {
	It("replaces the model's outputs by others, in the given order", func() {
		model := loaders.ONNXBytes("m", onnxtest.Chain().Bytes())
		other, err := edit.WithOutputs(model, named("d", "b", "d")...)
		Expect(err).NotTo(HaveOccurred())
		outputs, err := other.Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(outputs).To(HaveExactElements(HaveField("String()", "d tensor(float)[batch,2]"),
			HaveField("String()", "b tensor(float)[batch,2]")))
		Expect(wiring(other)).To(Equal(wiring(model)))
		_, err = edit.WithOutputs(model, named("nothing")...)
		Expect(err).To(MatchError(ContainSubstring(`no tensor "nothing"`)))
	})
})
