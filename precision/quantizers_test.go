package precision_test

import (
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
)

// quantizing is y = Tanh(Neg(x) quantized finely) quantized coarsely.
func quantizing(inputs ...string) *loaders.Model {
	scale := func(name string, value float32) []onnxtest.Tensor {
		return []onnxtest.Tensor{{Name: name, Type: float, Raw: onnxtest.Float32s(value)},
			{Name: name + "/zero", Type: 3, Raw: []byte{0}}}
	}
	pair := func(name, in, out string) []onnxtest.Node {
		return []onnxtest.Node{node("QuantizeLinear", name, name+"/q", in, name, name+"/zero"),
			node("DequantizeLinear", name+"/d", out, name+"/q", name, name+"/zero")}
	}
	nodes := append([]onnxtest.Node{node("Neg", "neg", "n", "x")}, pair("fine", "n", "n/dq")...)
	nodes = append(nodes, node("Tanh", "tanh", "t", "n/dq"))
	return graphOf(4, append(inputs, "x"), append(scale("fine", 1.0/64), scale("coarse", 0.25)...),
		append(nodes, pair("coarse", "t", "y")...)...)
}

// wide has three products: by multiples of INT4's steps, by numbers with one in each block that is
// far greater than the others, and by ordinary numbers.
func wide() *loaders.Model {
	const size = 64
	random := rand.New(rand.NewPCG(1, 36))
	steps, outlier, gaussian := make([]float32, size*size), make([]float32, size*size),
		make([]float32, size*size)
	for i := range steps {
		steps[i] = float32(random.IntN(15)-7) / 64
		if i/size%32 == 0 {
			steps[i] = -8.0 / 64
		}
		outlier[i], gaussian[i] = float32(random.NormFloat64())/16, float32(random.NormFloat64())/160
		if i/size%32 == 5 {
			outlier[i] = 3
		}
	}
	square := func(name string, values []float32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: float, Dims: []int64{size, size},
			Raw: onnxtest.Float32s(values...)}
	}
	return graph(size, []onnxtest.Tensor{square("steps", steps), square("outlier", outlier),
		square("gaussian", gaussian)}, node("MatMul", "first", "a", "x", "steps"),
		node("MatMul", "second", "b", "a", "outlier"), node("Tanh", "tanh", "c", "b"),
		node("MatMul", "third", "y", "c", "gaussian"))
}

var _ = Describe("The quantizers of a model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	find := func(ctx SpecContext, model *loaders.Model, inputs fixtures.Inputs, atol float64) (
		*precision.Quantization, error) {
		return precision.Repair{Rule: within(atol)}.Quantizers(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
	}

	It("are ranked by what they do to the output, and the worst are removed", func(ctx SpecContext) {
		inputs := values(0.3, 0.7, 1.1, -0.4)
		found, err := find(ctx, quantizing(), inputs, 0.02)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Quantizers).To(HaveExactElements(HaveField("Node", "coarse"),
			HaveField("Node", "fine")))
		worst := found.Quantizers[0]
		signal, noise := 0.0, 0.0
		for _, x := range []float64{0.3, 0.7, 1.1, -0.4} {
			t := math.Tanh(-x)
			d := math.RoundToEven(t/0.25)*0.25 - t
			signal, noise = signal+t*t, noise+d*d
		}
		Expect(worst.SNR).To(BeNumerically("~", 10*math.Log10(signal/noise), 0.01))
		Expect(worst.Error).To(BeNumerically("~", math.Sqrt(noise/signal), 1e-5))
		Expect(found.Remove).To(Equal(1))
		Expect(found.Curve).To(HaveExactElements(
			And(HaveField("Percent", 0.0), HaveField("Passes", false)),
			And(HaveField("Percent", 50.0), HaveField("Passes", true)),
			And(HaveField("Percent", 100.0), HaveField("SNR", 999.0))))
		operators, err := found.Repaired().Operators()
		Expect(err).NotTo(HaveOccurred())
		Expect(operators).To(HaveKeyWithValue("QuantizeLinear", 1))
		outputs, err := found.Repaired().Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(outputs).To(HaveExactElements(HaveField("Name", "y")))
		checked(found.Repaired())
	})

	It("are removed from a model with an input that no node reads", func(ctx SpecContext) {
		model := quantizing("unread")
		found, err := find(ctx, model, fixtures.Random(model), 0.02)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Repaired().Inputs()).To(HaveExactElements(HaveField("Name", "unread"),
			HaveField("Name", "x")))
	})

	It("are found in a model that ONNX Runtime quantised", func(ctx SpecContext) {
		model := loaders.ONNX("../example_test/digits-int8/testdata/digits_int8.onnx")
		inputs := fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8), fixtures.Iterations(2))
		found, err := find(ctx, model, inputs, 0.3)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Quantizers).To(HaveLen(11))
		Expect(found.Frozen).To(Equal(4))
		Expect(found.Remove).To(And(BeNumerically(">", 0), BeNumerically("<", 11)))
		all, err := find(ctx, model, inputs, 1e-6)
		Expect(err).NotTo(HaveOccurred())
		exact := run(ctx, ort.Engine(), all.Repaired(), inputs) // none is left
		report, err := compare.Runs(run(ctx, ort.Engine(), found.Repaired(), inputs).Outputs(),
			exact.Outputs(), within(0.3))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
		Expect(found.Text()).To(ContainSubstring("quantizers to remove"))
		checked(found.Repaired())
	})

	It("are the weights for INT4, and the worst stay in float32", func(ctx SpecContext) {
		model := wide()
		inputs := fixtures.Random(model, fixtures.Iterations(2))
		find := precision.Repair{Format: precision.INT4, Rule: within(0.01)}
		found, err := find.Quantizers(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Quantizers).To(HaveExactElements( // the outlier leaves no steps for the others
			And(HaveField("Tensor", "outlier"), HaveField("Node", "second")),
			HaveField("Tensor", "gaussian"), HaveField("Tensor", "steps")))
		Expect(found.Quantizers[2].Error).To(BeZero(), "its values are multiples of the scale")
		Expect(found.Quantizers[2].SNR).To(Equal(999.0))
		Expect(found.Remove).To(Equal(1))
		Expect(found.Text()).To(And(
			ContainSubstring("1 of 3 weights to keep in float32, the others in int4 (33 %)"),
			ContainSubstring(`nodes_to_exclude=["second"])`)))

		exact := run(ctx, ort.Engine(), model, inputs)
		report, err := compare.Runs(run(ctx, ort.Engine(), found.Repaired(), inputs).Outputs(),
			exact.Outputs(), within(0.01))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
		lower, err := precision.Round(ctx, exact.Subject(), precision.INT4)
		Expect(err).NotTo(HaveOccurred())
		report, err = compare.Runs(run(ctx, ort.Engine(), lower, inputs).Outputs(), exact.Outputs(),
			within(0.01))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail), "all weights in INT4")
		nothing := graph(1, nil, node("Neg", "n", "y", "x"))
		_, err = find.Quantizers(ctx,
			backends.Subject{Engine: ort.Engine(), Model: nothing, Inputs: values(1)})
		Expect(err).To(MatchError(ContainSubstring("has no MatMul or Gemm with a constant float32")))
	})

	It("must be there", func(ctx SpecContext) {
		model, inputs := digits(1)
		_, err := find(ctx, model, inputs, 0.1)
		Expect(err).To(MatchError(ContainSubstring("has no removable pair of QuantizeLinear")))
	})
})
