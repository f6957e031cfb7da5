package precision_test

import (
	"fmt"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// published returns what testdata/blocks.py computed with public implementations.
func published(name string) *tensor.Tensor {
	GinkgoHelper()
	set, err := fixtures.LoadSet("testdata/blocks.npz")
	Expect(err).NotTo(HaveOccurred())
	t, ok := set.Get(name)
	Expect(ok).To(BeTrue(), name)
	return t
}

func float32s(t *tensor.Tensor) []float32 {
	GinkgoHelper()
	values, err := tensor.Values[float32](t)
	Expect(err).NotTo(HaveOccurred())
	return values
}

// product is y = x·w, whose weight holds one value a row if there are several rows.
func product(opset int64, w []float32, rows int) *loaders.Model {
	columns := len(w) / rows
	return loaders.ONNXBytes("product.onnx", onnxtest.Model{Opsets: map[string]int64{"": opset},
		Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{"n", rows}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{"n", columns}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: float,
				Dims: []int64{int64(rows), int64(columns)}, Raw: onnxtest.Float32s(w...)}},
			Nodes: []onnxtest.Node{node("MatMul", "product", "y", "x", "w")},
		}}.Bytes())
}

// matrix is the input x.
func matrix(rows int, values []float32) fixtures.Inputs {
	GinkgoHelper()
	x, err := tensor.New(tensor.Shape{rows, len(values) / rows}, values)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

func identity(size int) []float32 {
	values := make([]float32, size*size)
	for i := range size {
		values[i*size+i] = 1
	}
	return values
}

var _ = Describe("Formats of blocks", func() {
	DescribeTable("have the numbers of ml_dtypes, for every code, ties and random numbers",
		func(format precision.Format, name string) {
			want := float32s(published(name + "_rounded"))
			for i, v := range float32s(published(name)) {
				got := float32(format.Round(float64(v)))
				Expect(math.Float32bits(got+0)).To(Equal(math.Float32bits(want[i]+0)), "%v", v)
			}
		},
		Entry("E2M1", precision.NVFP4, "e2m1"),
		Entry("E4M3", precision.MXFP8, "e4m3"),
		Entry("E4M3 with one scale", precision.FP8, "e4m3"),
		Entry("4-bit integers", precision.INT4, "int4"))

	DescribeTable("have the scales of a public implementation",
		func(format precision.Format) {
			blocks := published(string(format) + "_blocks")
			size := blocks.Shape()[1]
			most := 0.0
			for _, v := range blocks.Float64s() {
				most = max(most, math.Abs(v))
			}
			values := float32s(blocks)
			for i, want := range float32s(published(string(format) + "_scales")) {
				scale := format.BlockScale(values[i*size:(i+1)*size], most)
				Expect(math.Float32bits(scale+0)).To(Equal(math.Float32bits(want+0)), "block %d", i)
			}
		},
		Entry("INT4: ONNX Runtime's quantizer of MatMulNBits", precision.INT4),
		Entry("NVFP4: NVIDIA's Model-Optimizer", precision.NVFP4),
		Entry("MXFP8: gfloat, of the Open Compute Project's specification", precision.MXFP8))

	DescribeTable("round weights and activations as public implementations do",
		func(ctx SpecContext, format precision.Format, opset int64) {
			ort.Require(GinkgoT())
			blocks := published(string(format) + "_blocks")
			want := float32s(published(string(format) + "_blocks_rounded"))
			values := float32s(blocks)
			count, size := blocks.Shape()[0], blocks.Shape()[1]

			columns := make([]float32, len(values)) // the weight's columns are the blocks
			for i, v := range values {
				columns[i%size*count+i/size] = v
			}
			inputs := matrix(size, identity(size))
			base := run(ctx, ort.Engine(), product(opset, columns, size), inputs)
			rounded, err := precision.Round(ctx, base.Subject(), format)
			Expect(err).NotTo(HaveOccurred())
			near := 0
			Expect(edit.Constants(rounded, func(c loaders.Constant) error {
				for i, v := range c.Values.Float64s() {
					if exact := float64(want[i%count*size+i/count]); c.Name == "w" && v != exact {
						Expect(format).To(Equal(precision.INT4)) // its ties go up
						scale := float64(format.BlockScale(values[i%count*size:][:size], 0))
						steps := float64(columns[i]) / scale
						Expect(math.Abs(steps - math.Floor(steps) - 0.5)).To(BeNumerically("<", 1e-6))
						near++
					}
				}
				return nil
			})).To(Succeed())
			Expect(near).To(BeNumerically("<", 4))
			if format == precision.INT4 {
				operators, err := rounded.Operators()
				Expect(err).NotTo(HaveOccurred())
				Expect(operators).To(Equal(map[string]int{"MatMul": 1}), "activations stay")
				return
			}

			inputs = matrix(count, values) // the input's rows are the blocks
			base = run(ctx, ort.Engine(), product(opset, identity(size), size), inputs)
			rounded, err = precision.Round(ctx, base.Subject(), format)
			Expect(err).NotTo(HaveOccurred())
			y, _ := run(ctx, ort.Engine(), rounded, inputs).Outputs()[0].Get("y")
			for i, v := range float32s(y) {
				Expect(v).To(BeNumerically("==", want[i]), "block %d, %v", i/size, values[i])
			}
			if opset > 8 {
				checked(rounded)
			}
		},
		Entry("INT4", precision.INT4, int64(13)),
		Entry("NVFP4 in an old model", precision.NVFP4, int64(8)),
		Entry("NVFP4", precision.NVFP4, int64(21)),
		Entry("MXFP8", precision.MXFP8, int64(13)),
		Entry("MXFP8 with axes as an input", precision.MXFP8, int64(18)))

	DescribeTable("explain an engine whose weights they are, and none that errs four times as much",
		func(ctx SpecContext, format precision.Format) {
			ort.Require(GinkgoT())
			blocks := published(string(format) + "_blocks")
			exact, rounded := float32s(blocks), float32s(published(string(format)+"_blocks_rounded"))
			count, size := blocks.Shape()[0], blocks.Shape()[1]
			weight := func(times float32) *loaders.Model { // with so many times the error
				w := make([]float32, len(exact))
				for i, v := range exact {
					w[i%size*count+i/size] = v + float32(times*(rounded[i]-v))
				}
				return product(13, w, size)
			}
			reference := weight(0)
			inputs := fixtures.Random(reference, fixtures.Shape("x", 4, size), fixtures.Iterations(10))
			expected := run(ctx, ort.Engine(), reference, inputs)
			j := precision.Judge{Format: format, Bars: compare.Bars{FalseAlarm: 1e-6}}
			for times, verdict := range map[float32]compare.Verdict{1: compare.Pass, 4: compare.Fail} {
				actual := run(ctx, ort.Engine(), weight(times), inputs)
				report, err := j.Compare(actual, expected, actual.Outputs(), expected.Outputs())
				Expect(err).NotTo(HaveOccurred())
				Expect(report.Verdict).To(Equal(verdict), "%v: %v", times, report.Reason)
			}
		},
		Entry("INT4", precision.INT4), Entry("NVFP4", precision.NVFP4), Entry("MXFP8", precision.MXFP8))

	It("end with a shorter block", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		values := make([]float32, 40) // 32 and 8
		for i := range values {
			values[i] = float32(i%8) + 0.3
		}
		values[35] = 1000
		inputs := matrix(1, values)
		base := run(ctx, ort.Engine(), product(13, identity(40), 40), inputs)
		rounded, err := precision.Round(ctx, base.Subject(), precision.MXFP8)
		Expect(err).NotTo(HaveOccurred())
		y, _ := run(ctx, ort.Engine(), rounded, inputs).Outputs()[0].Get("y")
		for i, v := range float32s(y) {
			of := values[:32]
			if i >= 32 {
				of = values[32:]
			}
			scale := precision.MXFP8.BlockScale(of, 0)
			want := float32(precision.MXFP8.Round(float64(values[i]/scale))) * scale
			Expect(v).To(Equal(want), fmt.Sprint(i))
		}
	})
})
