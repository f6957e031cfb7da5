package noise_test

import (
	"encoding/binary"
	"errors"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// floats is a tensor of float32 values in a model.
func floats(name string, values ...float32) onnxtest.Tensor {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{int64(len(values))}, Raw: raw}
}

var _ = Describe("Noise of small models", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	weights := floats("", 0.3, 0.7, 0.9)
	constant := onnxtest.Node{Op: "Constant", Out: []string{"w"},
		Attrs: []onnxtest.Attr{{Name: "value", Tensor: &weights}}}
	integers := fixtures.Of(set("x", tensor.Of[int64](1, 2, 3)))

	It("moves the values of Constant nodes", func(ctx SpecContext) {
		m := modelOf(7, constant,
			onnxtest.Node{Op: "Cast", In: []string{"x"}, Out: []string{"f"},
				Attrs: []onnxtest.Attr{{Name: "to", Int: new(int64(1))}}},
			onnxtest.Node{Op: "Mul", In: []string{"f", "w"}, Out: []string{"y"}})
		measured, err := noise.Measure(ctx, run(ctx, ort.Engine(), m, integers).Subject())
		Expect(err).NotTo(HaveOccurred())
		Expect(measured.Outputs[0][0].RMS).To(BeNumerically("~", 6e-8, 6e-8))
		Expect(measured.Outputs[0][0].RMS).To(BeNumerically(">", 0))
	})

	It("rejects models of which no node rounds", func(ctx SpecContext) {
		m := modelOf(7, onnxtest.Node{Op: "Add", In: []string{"x", "x"}, Out: []string{"y"}})
		subject := run(ctx, ort.Engine(), m, integers).Subject()
		_, err := noise.Measure(ctx, subject)
		Expect(err).To(MatchError("noise: no node of the model rounds, so its outputs are exact: " +
			"compare with Within(0, 0, Elementwise) (--atol 0 --rtol 0)"))
		_, err = noise.Measure(ctx, subject, noise.In(ort.Engine()))
		Expect(err).To(MatchError(ContainSubstring(
			"none of the model's weights and inputs can be changed to a neighbouring floating-point " +
				"number")))
	})

	// whole makes integers of the products of its inputs with a number.
	whole := func(w float32) *loaders.Model {
		factor := floats("", w, w, w)
		return modelOf(1, onnxtest.Node{Op: "Constant", Out: []string{"w"},
			Attrs: []onnxtest.Attr{{Name: "value", Tensor: &factor}}},
			onnxtest.Node{Op: "Mul", In: []string{"x", "w"}, Out: []string{"p"}},
			onnxtest.Node{Op: "Cast", In: []string{"p"}, Out: []string{"y"},
				Attrs: []onnxtest.Attr{{Name: "to", Int: new(int64(7))}}})
	}

	It("requires equal integers", func(ctx SpecContext) {
		m := whole(0.5)
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](3, 5, 7))))
		Expect(judge(reference, reference).Verdict).To(Equal(compare.Pass))
		other := backends.NewRun(reference.Provenance, backends.Iteration{
			Outputs: set("y", tensor.Of[int64](1, 2, 4))})
		Expect(judge(other, reference).Outputs[0].Reason).To(ContainSubstring(
			"1 elements differ in a way that rounding cannot explain"))
	})

	It("ignores elements that rounding flips, and fails if none is left",
		func(ctx SpecContext) {
			m := whole(0.5)
			reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](3, 4, 7))))
			flipped := backends.NewRun(reference.Provenance, backends.Iteration{
				Outputs: set("y", tensor.Of[int64](1, 1, 3))})
			report := judge(flipped, reference)
			Expect(report.Verdict).To(Equal(compare.Pass))
			Expect(report.Outputs[0].Results[0].Text).To(ContainSubstring(
				"left out 1 elements whose value depends on rounding"))

			reference = run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](2, 4, 6))))
			measured, err := noise.Measure(ctx, reference.Subject(), noise.Runs(64))
			Expect(err).NotTo(HaveOccurred())
			_, err = compare.WithinNoise(reference.Outputs(), reference.Outputs(), measured,
				compare.Bars{}, compare.Options{})
			Expect(err).To(MatchError(ContainSubstring("rounding alone flips every element")))
		})

	It("gives no verdict on an output whose noise is as large as its values", func(
		ctx SpecContext) {
		large := floats("", 1e8, 1e8, 1e8)
		m := modelOf(1, onnxtest.Node{Op: "Constant", Out: []string{"w"},
			Attrs: []onnxtest.Attr{{Name: "value", Tensor: &large}}},
			onnxtest.Node{Op: "Add", In: []string{"x", "w"}, Out: []string{"sum"}},
			onnxtest.Node{Op: "Sub", In: []string{"sum", "w"}, Out: []string{"y"}})
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](1, 2, 3))))
		_, err := noise.Measure(ctx, reference.Subject())
		Expect(err).To(MatchError(And(HavePrefix(`noise: rounding alone changes output "y" by `),
			ContainSubstring("(root mean square), but its values themselves vary by only "),
			HaveSuffix(": instead, compare decisions such as classes or tokens, or the output of an "+
				"earlier layer"))))
	})

	It("rejects a model that draws random numbers, unless they change nothing", func(
		ctx SpecContext) {
		for _, scale := range []float32{1, 0} {
			factor := floats("", scale)
			m := modelOf(1, onnxtest.Node{Op: "RandomNormalLike", In: []string{"x"}, Out: []string{"n"},
				Attrs: []onnxtest.Attr{{Name: "seed", Float: new(float32(3))}}},
				onnxtest.Node{Op: "Constant", Out: []string{"w"},
					Attrs: []onnxtest.Attr{{Name: "value", Tensor: &factor}}},
				onnxtest.Node{Op: "Mul", In: []string{"n", "w"}, Out: []string{"p"}},
				onnxtest.Node{Op: "Add", In: []string{"x", "p"}, Out: []string{"y"}})
			subject := run(ctx, ort.Engine(), m,
				fixtures.Of(set("x", tensor.Of[float32](100, 2000, 30000)))).Subject()
			_, measured := noise.Measure(ctx, subject)
			_, rounded := precision.Of(ctx, subject, precision.FP16)
			if scale == 0 {
				Expect(errors.Join(measured, rounded)).NotTo(HaveOccurred())
				continue
			}
			for _, err := range []error{measured, rounded} {
				Expect(err).To(MatchError(ContainSubstring(`the model draws random numbers: output "y" ` +
					"differs between two runs in onnxruntime")))
			}
		}
	})

	DescribeTable("compares the noise with the values' own spread, which does not contain it",
		func(spread, scale float64, drowned types.GomegaMatcher) {
			values := set("y", tensor.Of(10+scale*spread, 10-scale*spread))
			Expect(noise.Drowned(compare.OutputNoise{Name: "y", Sigma: []float64{scale, scale},
				RMS: scale}, values)).To(drowned)
		},
		Entry("noise alone", 1.0, 1.0, HaveOccurred()),
		Entry("noise a little larger than the values", 1.3, 1.0, HaveOccurred()),
		Entry("noise a little smaller than the values", 1.5, 1.0, Succeed()),
		Entry("rounding of nearly equal values", 1.0, 1e-6, Succeed()),
	)

	It("rejects a run read from a file", func() {
		_, err := noise.Of(backends.NewRun(backends.Provenance{}))
		Expect(err).To(MatchError(HavePrefix(
			"noise: the run cannot be measured: the run was read from a file")))
		_, err = noise.Of(nil)
		Expect(err).To(MatchError("noise: no run to measure"))
	})

	It("needs four runs", func(ctx SpecContext) {
		_, err := noise.Measure(ctx, backends.Subject{}, noise.Runs(3))
		Expect(err).To(MatchError("noise: Runs(3): measuring noise needs 4 runs or more"))
	})
})

// modelOf returns a model of the given nodes, with an input x of the given type and an output y.
func modelOf(elem int32, nodes ...onnxtest.Node) *loaders.Model {
	return loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   nodes,
		Inputs:  []onnxtest.Value{{Name: "x", Elem: elem, Dims: []any{"n"}}},
		Outputs: []onnxtest.Value{{Name: "y"}},
	}}.Bytes())
}
