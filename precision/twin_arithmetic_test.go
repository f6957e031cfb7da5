package precision_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// arithmetic is how an engine rounds operands of products, and sums after each addend.
type arithmetic struct{ operand, sum func(float64) float64 }

// keeping rounds to the nearest number of so many bits.
func keeping(bits int) func(float64) float64 {
	return func(v float64) float64 {
		if v == 0 {
			return 0
		}
		unit := math.Ldexp(1, math.Ilogb(v)+1-bits)
		return math.RoundToEven(v/unit) * unit
	}
}

// truncating drops all bits after so many.
func truncating(bits int) func(float64) float64 {
	return func(v float64) float64 {
		if v == 0 {
			return 0
		}
		unit := math.Ldexp(1, math.Ilogb(v)+1-bits)
		return math.Trunc(v/unit) * unit
	}
}

// halves is a bfloat16 and the rest in bfloat16, as in three products of bfloat16.
func halves(v float64) float64 {
	high := keeping(8)(v)
	return high + keeping(8)(v-high)
}

// chain is layers of MatMul and Relu.
func chain(layers, size int) *loaders.Model {
	var list []onnxtest.Tensor
	var nodes []onnxtest.Node
	last := "x"
	for k := range layers {
		w, out := string(rune('a'+k)), string(rune('A'+k))
		list = append(list, weights(w, int64(size), int64(size)))
		nodes = append(nodes, node("MatMul", "", out+"p", last, w), node("Relu", "", out, out+"p"))
		last = out
	}
	nodes = append(nodes, node("Identity", "", "y", last))
	return graph(size, list, nodes...)
}

// computed runs a chain's twin in an arithmetic.
func (a arithmetic) computed(t *precision.Twin, layers int) *backends.Run {
	GinkgoHelper()
	var x []float64
	for set, err := range t.Inputs.All() {
		Expect(err).NotTo(HaveOccurred())
		given, _ := set.Get("x")
		x = given.Float64s()
	}
	factors := map[string][]float64{}
	Expect(edit.Constants(t.Model, func(c loaders.Constant) error {
		factors[c.Name] = c.Values.Float64s()
		return nil
	})).To(Succeed())
	for k := range layers {
		y := make([]float64, len(x))
		for j := range y {
			for i, v := range x {
				y[j] = a.sum(y[j] + a.operand(v)*a.operand(factors[string(rune('a'+k))][i*len(x)+j]))
			}
			y[j] = max(0, y[j])
		}
		x = y
	}
	out, err := tensor.New(tensor.Shape{1, len(x)}, x)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: out})
	Expect(err).NotTo(HaveOccurred())
	return backends.NewRun(backends.Provenance{}, backends.Iteration{Outputs: set})
}

var _ = DescribeTable("The twin names an arithmetic between float32 and TF32",
	func(ctx SpecContext, operand, sum func(float64) float64, bits int, says string) {
		ort.Require(GinkgoT())
		for layers := 1; layers <= 4; layers++ {
			for _, size := range []int{32, 128, 512} {
				model := chain(layers, size)
				t, err := precision.TwinOf(ctx, subject(model, fixtures.Random(model)))
				Expect(err).NotTo(HaveOccurred())
				Expect(t.Sum).To(BeNumerically(">=", 1<<20))
				Expect(t.Text()).To(MatchRegexp(`the values use 2[0-4] of float32's 24 significant bits`))
				p := precision.ComputedIn(arithmetic{operand, sum}.computed(t, layers), t.Unit)
				GinkgoWriter.Println(layers, size, t.Unit, t.LargestSum, t.Bits, p)
				Expect(p.String()).To(ContainSubstring(says), "%d layers of %d", layers, size)
				Expect(p.Bits).To(BeNumerically("~", bits, 1))
			}
		}
	},
	Entry("float32", keeping(24), keeping(24), 0, "no value was rounded"),
	Entry("sums of 14 bits", keeping(24), keeping(14), 14, "as a 14-bit accumulator does"),
	Entry("sums of 14 bits, cut off", keeping(24), truncating(14), 14,
		"as a 14-bit accumulator does"),
	Entry("FP24", keeping(16), keeping(16), 16, "of 24 bits, as FP24 does"),
	Entry("FP24 of AMD", truncating(17), truncating(17), 17, "of 24 bits, as FP24 does"),
	Entry("bf16x3", halves, keeping(24), 17, "bf16x3 (three bfloat16 multiplications)"),
	Entry("TF32", keeping(11), keeping(24), 11, "keeps 11 of 24 bits, as tf32 does"),
	Entry("bfloat16", keeping(8), keeping(24), 8, "keeps 8 of 24 bits, as bf16 does"),
)
