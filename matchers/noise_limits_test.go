package matchers_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Where noise cannot be measured, or not all of it, the matcher notices: see the limits in
// docs/noise.md.
var _ = Describe("MatchWithinNoise at its limits", func() {
	BeforeEach(func() {
		ort.Require(GinkgoT())
		GinkgoT().Setenv(noise.CacheVariable, GinkgoT().TempDir())
	})

	// expected runs s, which is x times 1 and so rounded, through nodes to y.
	expected := func(ctx SpecContext, x []float32, nodes ...onnxtest.Node) *backends.Run {
		GinkgoHelper()
		k := onnxtest.Tensor{Name: "k", Type: 7, Dims: []int64{1}, Raw: []byte{1, 0, 0, 0, 0, 0, 0, 0}}
		step := onnxtest.Tensor{Name: "step", Type: 1, Raw: onnxtest.Float32s(0.1)}
		zero := onnxtest.Tensor{Name: "zero", Type: 3, Raw: []byte{0}}
		axis := onnxtest.Tensor{Name: "axis", Type: 7, Raw: make([]byte, 8)}
		one := onnxtest.Tensor{Name: "one", Type: 1, Raw: onnxtest.Float32s(1)}
		nodes = append([]onnxtest.Node{{Op: "Mul", In: []string{"x", "one"}, Out: []string{"s"}}},
			nodes...)
		model := loaders.ONNXBytes("limit.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: nodes, Initializers: []onnxtest.Tensor{k, step, zero, axis, one},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{len(x)}}},
			Outputs: []onnxtest.Value{{Name: "y"}}}}.Bytes())
		run, err := ort.Run(ctx, model, fixtures.Of(set("x", f32(x...))))
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	// other is the run with another output.
	other := func(run *backends.Run, y *tensor.Tensor) *backends.Run {
		return backends.NewRun(run.Provenance, backends.Iteration{Outputs: set("y", y)})
	}
	arg := onnxtest.Node{Op: "ArgMax", In: []string{"s"}, Out: []string{"y"},
		Attrs: []onnxtest.Attr{{Name: "axis", Int: new(int64(0))}}}

	It("takes any index that a tie may give, says so, and holds others to equality",
		func(ctx SpecContext) {
			tie := expected(ctx, []float32{1, 3, 3, 0}, arg)
			_, err := MatchWithinNoise().Of(tie).Match(tie)
			Expect(err).To(MatchError(ContainSubstring("rounding alone flips every element")))

			clear := expected(ctx, []float32{1, 3, 2, 0}, arg)
			Expect(clear).To(MatchWithinNoise().Of(clear))
			m := MatchWithinNoise().Of(clear)
			wrong := other(clear, shaped(tensor.Of[int64](2), 1))
			Expect(m.Match(wrong)).To(BeFalse())
			Expect(m.FailureMessage(wrong)).To(And(
				ContainSubstring("1 elements differ in a way that rounding cannot explain"),
				ContainSubstring("rounding can make values jump in 1 ArgMax: the noise includes only the "+
					"jumps that occurred in the measured runs")))
		})

	It("leaves out the places of a top-k that a tie may swap", func(ctx SpecContext) {
		top := func(x ...float32) *backends.Run {
			return expected(ctx, x, onnxtest.Node{Op: "TopK", In: []string{"s", "k"},
				Out: []string{"values", "y"}, Attrs: []onnxtest.Attr{{Name: "axis", Int: new(int64(0))}}})
		}
		clear := top(1, 5, 3)
		m := MatchWithinNoise().Of(clear)
		wrong := other(clear, tensor.Of[int64](2))
		Expect(m.Match(wrong)).To(BeFalse())
		Expect(m.FailureMessage(wrong)).To(ContainSubstring("rounding can make values jump in 1 TopK"))
		tie := top(5, 1, 5)
		_, err := MatchWithinNoise().Of(tie).Match(tie)
		Expect(err).To(MatchError(ContainSubstring("rounding alone flips every element")))
	})

	It("names what jumps, where no run jumped", func(ctx SpecContext) {
		round := expected(ctx, []float32{1.4, 2.6}, onnxtest.Node{Op: "Floor", In: []string{"s"},
			Out: []string{"y"}})
		m := MatchWithinNoise().Of(round)
		wrong := other(round, f32(1, 3))
		Expect(m.Match(wrong)).To(BeFalse())
		Expect(m.FailureMessage(wrong)).To(ContainSubstring("rounding can make values jump in 1 Floor"))
	})

	It("leaves a quantised model undecided beyond its noise", func(ctx SpecContext) {
		quantised := expected(ctx, []float32{0.33, 0.81},
			onnxtest.Node{Op: "QuantizeLinear", In: []string{"s", "step", "zero"}, Out: []string{"q"}},
			onnxtest.Node{Op: "DequantizeLinear", In: []string{"q", "step", "zero"}, Out: []string{"y"}})
		Expect(quantised).To(MatchWithinNoise().Of(quantised))
		_, err := MatchWithinNoise().Of(quantised).Match(other(quantised, f32(0.3, 0.9)))
		Expect(err).To(MatchError(ContainSubstring("but that does not prove a fault: the model " +
			"quantises (1 QuantizeLinear)")))
	})

	It("names the sums whose order it does not see", func(ctx SpecContext) {
		sum := expected(ctx, []float32{0.1, 0.7, 3}, onnxtest.Node{Op: "CumSum",
			In: []string{"s", "axis"}, Out: []string{"y"}})
		wrong := other(sum, f32(0.1, 0.9, 3.8))
		m := MatchWithinNoise().Of(sum)
		Expect(m.Match(wrong)).To(BeFalse())
		Expect(m.FailureMessage(wrong)).To(ContainSubstring(
			"the sums of 1 CumSum cannot be reordered, so small random errors were added to their inputs " +
				"instead"))
		m = MatchWithinNoise().MeasuredIn(ort.Engine()).Of(sum)
		Expect(m.Match(wrong)).To(BeFalse())
		Expect(m.FailureMessage(wrong)).To(And(ContainSubstring(
			"sums cannot be reordered (onnxruntime was chosen), so each run changes the weights and "+
				"inputs by one unit in the last place instead"),
			ContainSubstring("the noise does not include the effect of summation order in 1 CumSum")))
	})

	It("lets engines flush tiny outputs to zero, and no larger ones", func(ctx SpecContext) {
		x := []float32{1e-30, 2e-30, 3e-39}
		tiny := expected(ctx, x, onnxtest.Node{Op: "Mul", In: []string{"s", "step"}, Out: []string{"y"}})
		y := tiny.Outputs()[0].At(0).Tensor.Float64s()
		Expect(y[2]).To(And(BeNumerically(">", 0), BeNumerically("<", math.SmallestNonzeroFloat32*1e9)))
		flushed := other(tiny, f32(float32(y[0]), float32(y[1]), 0))
		Expect(flushed).To(MatchWithinNoise().Of(tiny))
		lost := other(tiny, f32(0, float32(y[1]), float32(y[2])))
		Expect(lost).NotTo(MatchWithinNoise().Of(tiny))
	})
})
