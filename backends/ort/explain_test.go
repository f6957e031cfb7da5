package ort_test

import (
	"errors"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A model that ONNX Runtime refuses", func() {
	DescribeTable("is one error that says why",
		func(name string, reason backends.Reason, expected string) {
			_, err := open(model(name))
			Expect(err).To(MatchError(And(HavePrefix("onnxruntime 1."),
				ContainSubstring(name+".onnx: "+expected), Not(ContainSubstring("\n")))))
			var explained *backends.Refusal
			Expect(errors.As(err, &explained)).To(BeTrue())
			Expect(explained.Reason).To(Equal(reason))
		},
		Entry("an unknown operator", "unknown_operator", backends.UnknownOperator,
			"opset 21 has no operator Frobnicate (ONNX Runtime says: "),
		Entry("an operator of an unknown domain", "unknown_domain", backends.UnknownOperator,
			"operator acme:Frobnicate is unknown"),
		Entry("a domain that is not imported", "no_domain", backends.InvalidModel,
			"the model uses domain acme without importing it"),
		Entry("an operator without an implementation", "no_kernel", backends.NoKernel,
			"operator BitShift of opset 11 is not implemented, at least not for these types"),
		Entry("a dangling edge", "dangling", backends.InvalidModel,
			"a node reads nowhere, which nothing produces"),
		Entry("a wrong declaration", "wrong_type", backends.InvalidModel,
			"output y is declared as tensor(int64), but its type is tensor(float)"),
		Entry("an opset of the future", "unfinished_opset", backends.TooNew,
			"opset 99 is still under development in this ONNX Runtime; to use it anyway, set "+
				"ALLOW_RELEASED_ONNX_OPSET_ONLY=0"),
		Entry("a model of the future", "too_new", backends.TooNew,
			"the model has IR version 99, but the newest supported is 1"),
	)

	It("is an error that names the file if it is missing, empty, cut or no model", func() {
		whole, err := os.ReadFile("testdata/declared.onnx")
		Expect(err).NotTo(HaveOccurred())
		for name, data := range map[string][]byte{"empty": nil, "cut": whole[:len(whole)/2],
			"text": []byte("not a model\n")} {
			_, err := open(loaders.ONNXBytes(name, data))
			Expect(err).To(MatchError(ContainSubstring(name)))
		}
		_, err = open(loaders.ONNX("testdata/absent.onnx"))
		Expect(err).To(MatchError(os.ErrNotExist))
		Expect(err).To(MatchError(ContainSubstring("absent.onnx")))
	})

	It("fails in a run with the library's own words", func(ctx SpecContext) {
		_, err := ort.Run(ctx, model("fails_running"), feed(
			in("x", tensor.Of[float32](1, 2, 3)), in("shape", tensor.Of[int64](2, 2))))
		Expect(err).To(MatchError(And(ContainSubstring("fails_running.onnx: "),
			ContainSubstring("cannot be reshaped"), Not(ContainSubstring("\n")))))
	})
})
