package ort_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Inputs", func() {
	matrix, _ := tensor.New(tensor.Shape{2, 3}, make([]float32, 6))
	wide, _ := tensor.New(tensor.Shape{2, 4}, make([]float32, 8))
	doubles, _ := tensor.New(tensor.Shape{2, 3}, make([]float64, 6))

	DescribeTable("that do not fit are one clear error",
		func(ctx SpecContext, name, expected string, entries ...tensor.Entry) {
			_, err := ort.Run(ctx, model(name), feed(entries...))
			Expect(err).To(MatchError(HavePrefix(
				"onnxruntime: iteration 0: " + name + ".onnx: " + expected)))
		},
		Entry("a missing one", "two_inputs", "inputs are missing: b tensor(float)[2]",
			in("a", tensor.Of[float32](1, 2))),
		Entry("a wrong name", "two_inputs",
			"inputs are missing: b tensor(float)[2]; got instead: B",
			in("a", tensor.Of[float32](1, 2)), in("B", tensor.Of[float32](1, 2))),
		Entry("one too many", "declared",
			"the model has no inputs z; its inputs are x tensor(float)[batch,3]",
			in("x", matrix), in("z", matrix)),
		Entry("a wrong type", "declared", `input "x": expected x tensor(float)[batch,3], `+
			"got float64[2,3]: the element type differs; to convert the data, use --cast-inputs, "+
			"or Cast(model) in a spec", in("x", doubles)),
		Entry("a wrong rank", "declared", `input "x": expected x tensor(float)[batch,3], `+
			"got float32[3]: the rank differs", in("x", tensor.Of[float32](1, 2, 3))),
		Entry("a wrong dimension", "declared", `input "x": expected x tensor(float)[batch,3], `+
			"got float32[2,4]: dimension 1 differs", in("x", wide)),
		Entry("a wrong type for an initializer", "declared",
			`input "bias": expected bias tensor(float)[3], got float64[1]`,
			in("x", matrix), in("bias", tensor.Of[float64](1))),
		Entry("half a map", "map_in", `input "x": a map needs both x.key and x.value`,
			in("x.value", tensor.Of[float32](1))),
		Entry("a sequence with a gap", "sequence_in", "the model has no inputs x[2]",
			in("x[0]", tensor.Of[float32](1)), in("x[2]", tensor.Of[float32](1))),
		Entry("a sequence of a wrong length", "sequence_in",
			`input "x": tensor x.length is int64[] [2]; expected the sequence's number of items, 1`,
			in("x[0]", tensor.Of[float32](1)), in("x.length", tensor.Scalar[int64](2))),
		Entry("a length that is not a number", "sequence_in",
			`input "x": tensor x.length is bool[] [true]; expected the sequence's number of items, 1`,
			in("x[0]", tensor.Of[float32](1)), in("x.length", tensor.Scalar(true))),
		Entry("a sequence of a wrong type", "sequence_in", "Unexpected input data type",
			in("x[0]", tensor.Of[int64](1))),
	)

	It("may stand in for an initializer, or leave it as it is", func(ctx SpecContext) {
		Expect(values(run(ctx, "declared", x(matrix)))).To(ConsistOf(
			"y: float32[2,3] [10 20 30 10 20 30]"))
		Expect(values(run(ctx, "declared", feed(in("x", matrix),
			in("bias", tensor.Of[float32](1, 2, 3)))))).To(ConsistOf(
			"y: float32[2,3] [1 2 3 1 2 3]"))
	})

	It("are run in order, one iteration each", func(ctx SpecContext) {
		var sets []*tensor.Set
		for i := range 3 {
			set, err := tensor.NewSet(in("x", tensor.Of(float32(i))))
			Expect(err).NotTo(HaveOccurred())
			sets = append(sets, set)
		}
		result, err := ort.Run(ctx, model("identity_float"), fixtures.Of(sets...))
		Expect(err).NotTo(HaveOccurred())
		for i, outputs := range result.Outputs() {
			Expect(values(outputs)).To(ConsistOf("y: " + tensor.Of(float32(i)).String()))
		}
		Expect(result.Iterations()).To(HaveLen(3))
		Expect(result.Iterations()[0].Runtime).To(BeNumerically(">", 0))
	})

	It("without an iteration are refused", func(ctx SpecContext) {
		_, err := ort.Run(ctx, model("identity_float"), fixtures.Of())
		Expect(err).To(MatchError(backends.ErrNoInputs))
	})
})
