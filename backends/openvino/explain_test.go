package openvino_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("What OpenVINO refuses", func() {
	needed()

	axis := int64(0)

	DescribeTable("is said in words", func(ctx SpecContext, m *loaders.Model, reason backends.Reason,
		expected string) {
		_, err := openvino.Engine().Open(ctx, m, fixtures.Inputs{})
		Expect(err).To(MatchError(MatchRegexp(`^openvino 20\S+: model\.onnx: ` + expected)))
		var explained *backends.Refusal
		Expect(errors.As(err, &explained)).To(BeTrue())
		Expect(explained.Reason).To(Equal(reason))
		Expect(explained.Answer).NotTo(ContainSubstring("src/frontends"))
		Expect(explained.Answer).NotTo(ContainSubstring("\n"))
	},
		Entry("an operator that it does not know", unary("Frobnicate", f32, 1),
			backends.UnknownOperator, `OpenVINO has no operator Frobnicate-21 \(OpenVINO says: `),
		Entry("an operator of another domain", model([]onnxtest.Value{io("x", f32, 1)},
			[]onnxtest.Value{io("y", f32, 1)}, nil, onnxtest.Node{Op: "Magic", Domain: "acme",
				In: names("x"), Out: names("y")}),
			backends.UnknownOperator, `OpenVINO has no operator acme\.Magic \(`),
		Entry("two operators", model([]onnxtest.Value{io("x", f32, 1)},
			[]onnxtest.Value{io("y", f32, 1)}, nil,
			onnxtest.Node{Op: "Magic", Domain: "acme", In: names("x"), Out: names("m")},
			onnxtest.Node{Op: "Wand", Domain: "acme", In: names("m"), Out: names("y")}),
			backends.UnknownOperator, `OpenVINO has no operator acme\.Magic, acme\.Wand \(`),
		Entry("a function of the model",
			loaders.ONNXBytes("model.onnx", onnxtest.InFunction().Bytes()), backends.UnknownOperator,
			`OpenVINO has no operator local\.Product; nodes in the model's own functions are not `+
				`examined: inline the functions first \(onnx\.inliner\.inline_local_functions in `+
				`Python\) \(`),
		Entry("an operator that it does not take this way", model([]onnxtest.Value{io("x", f32, "n")},
			[]onnxtest.Value{io("y", f32, nil)}, nil,
			node("SplitToSequence", names("x"), names("s"), onnxtest.Attr{Name: "axis", Int: &axis}),
			node("ConcatFromSequence", names("s"), names("y"),
				onnxtest.Attr{Name: "axis", Int: &axis})),
			backends.UnknownOperator, `OpenVINO has no operator util::ConcatFromSequence \(`),
		Entry("a node that reads what nothing gives", model([]onnxtest.Value{io("x", f32, 1)},
			[]onnxtest.Value{io("y", f32, 1)}, nil, node("Add", names("x", "nowhere"), names("y"))),
			backends.InvalidModel, `a node reads nowhere, which nothing produces \(`),
		Entry("an element type", unary("Identity", 18, 1), backends.NoKernel,
			`OpenVINO has no element type FLOAT8E4M3FNUZ \(`),
	)

	It("at run time is said as well", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("a", f32, "n"), io("b", f32, "m")},
			[]onnxtest.Value{io("y", f32, nil)}, nil, node("Add", names("a", "b"), names("y")))
		_, err := openvino.Run(ctx, m, feed(in("a", tensor.Of[float32](1, 2, 3)),
			in("b", tensor.Of[float32](2, 2))))
		Expect(err).To(MatchError(MatchRegexp(`^openvino: iteration 0: model\.onnx: .*Add`)))
	})

	It("is not mistaken for what is wrong with the model's file", func(ctx SpecContext) {
		_, err := openvino.Run(ctx, loaders.ONNX("testdata/absent.onnx"), x(tensor.Of[float32](1)))
		Expect(err).To(MatchError(ContainSubstring("absent.onnx: no such file")))
		_, err = openvino.Run(ctx, nil, fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("no model to run")))
		_, err = openvino.Run(ctx, declared{}, fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring(
			"openvino runs ONNX models, got other.bin (openvino_test.declared)")))
	})
})

// declared is a model of another kind.
type declared struct{}

func (declared) Name() string                     { return "other.bin" }
func (declared) Inputs() ([]loaders.Value, error) { return nil, nil }
