package matchers_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	. "github.com/modelparity/modelparity/matchers"
)

// threeNodes is x → Neg a → middle b → Neg y.
func threeNodes(name, middle string) *loaders.Model {
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{4}}}
	}
	return loaders.ONNXBytes(name, onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Neg", Name: "first", In: []string{"x"}, Out: []string{"a"}},
			{Op: middle, Name: "second", In: []string{"a"}, Out: []string{"b"}},
			{Op: "Neg", Name: "third", In: []string{"b"}, Out: []string{"y"}}},
		Inputs: value("x"), Outputs: value("y")}}.Bytes())
}

var _ = Describe("Locating", func() {
	opened := 0
	open := func(ctx context.Context, m *loaders.Model, fed fixtures.Inputs) (
		backends.Backend, error) {
		opened++
		return ort.Engine().Open(ctx, m, fed)
	}
	BeforeEach(func() {
		ort.Require(GinkgoT())
		opened = 0
	})

	It("ends a failure with the node that makes the runs part", func(ctx SpecContext) {
		right, wrong := threeNodes("right.onnx", "Tanh"), threeNodes("wrong.onnx", "Sin")
		inputs := fixtures.Random(right)
		m := MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(ort.Run(ctx, right, inputs)).Locating(ctx,
			locate.Side{Model: wrong, Open: open}, locate.Side{Model: right, Open: open}, inputs)
		run, err := ort.Run(ctx, wrong, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(m.Match(run)).To(BeFalse())
		Expect(opened).To(BeZero(), "nothing is searched before somebody reads")
		Expect(m.FailureMessage(run)).To(And(
			ContainSubstring("\ninside the models:\n    actual    wrong.onnx in onnxruntime"),
			ContainSubstring(`"b" is the first tensor out of tolerance, made by Sin "second" (node 1; `+
				`Tanh on the expected side): a jump, since the node alone is out of tolerance`)))
		Expect(opened).To(BeNumerically(">", 2))
	})

	It("costs a passing spec nothing", func(ctx SpecContext) {
		model := threeNodes("net.onnx", "Tanh")
		inputs := fixtures.Random(model)
		side := locate.Side{Model: model, Open: open}
		Expect(ort.Run(ctx, model, inputs)).To(MatchOutputsWithin(0, 0, Elementwise).
			Of(ort.Run(ctx, model, inputs)).Locating(ctx, side, side, inputs))
		Expect(opened).To(BeZero())
	})

	It("says what kept it from searching", func(ctx SpecContext) {
		right, wrong := threeNodes("right.onnx", "Tanh"), threeNodes("wrong.onnx", "Sin")
		inputs := fixtures.Random(right)
		broken := locate.Side{Model: wrong, Open: func(context.Context, *loaders.Model,
			fixtures.Inputs) (backends.Backend, error) {
			return nil, errors.New("the engine is busy")
		}}
		m := MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(ort.Run(ctx, right, inputs)).
			Locating(ctx, broken, locate.Side{Model: right, Open: open}, inputs)
		run, err := ort.Run(ctx, wrong, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(ContainSubstring("the first divergence could not be located: " +
			"locate: wrong.onnx: the engine is busy"))
	})
})
