package noise_test

import (
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Noise of sums", func() {
	sums := func(addends int, reordered, sequential bool) *compare.Noise {
		longest := 0
		if sequential {
			longest = addends
		}
		return &compare.Noise{Runs: 64, Addends: addends, Reordered: reordered, Sequential: longest,
			Outputs: [][]compare.OutputNoise{{{Name: "y", Shape: tensor.Shape{4}, RMS: 1,
				Sigma: []float64{1, 1, 1, 1}, Independent: 4, Prior: 8}}}}
	}

	DescribeTable("is widened by what random orders do not show",
		func(addends int, reordered, sequential bool, factor float64) {
			plain, err := sums(0, reordered, false).Bar(compare.Bars{})
			Expect(err).NotTo(HaveOccurred())
			n := sums(addends, reordered, sequential)
			bar, err := n.Bar(compare.Bars{})
			Expect(err).NotTo(HaveOccurred())
			if reordered {
				plain /= 1.5
			}
			Expect(bar / plain).To(BeNumerically("~", factor, 1e-9))

			off := func(error float64) compare.Verdict {
				sets := func(y float64) []*tensor.Set {
					return []*tensor.Set{set("y", tensor.Of(y, y, y, y))}
				}
				report, err := compare.WithinNoise(sets(100+error), sets(100), n, compare.Bars{},
					compare.Options{})
				Expect(err).NotTo(HaveOccurred())
				return report.Verdict
			}
			Expect(off(1.4 * bar)).To(Equal(compare.Fail))
			Expect(off(0.7 * bar)).To(Equal(compare.Pass))
		},
		Entry("other orders", 1, true, false, 1.5*math.Sqrt(1+1.0/4096)),
		Entry("other orders of many terms", 3*4096, true, false, 3.0),
		Entry("other orders of very many terms", 1<<20, true, false, 1.5*math.Sqrt(17)), // as of 65,536
		Entry("one term after the other", 24*99, true, true, 10.0),
		Entry("few terms, one after the other", 24, true, true, 1.5*math.Sqrt(1+24.0/4096)),
		Entry("moved operands", 24*3, false, false, 2.0),
	)

	It("is widened by 2 if some sums cannot be reordered", func() {
		n := sums(0, true, false)
		Expect(n.Sums()).To(Equal(1.5))
		n.Moved = "the operands of 1 LSTM moved"
		Expect(n.Sums()).To(Equal(2.0))
	})
})

// The reference adds partial sums, which round less than one long sum.
var _ = Describe("Noise of a long sum", func() {
	It("accepts addition from first to last, by an engine that adds so", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		const rows, addends, columns = 16, 1 << 12, 64
		random := rand.New(rand.NewPCG(1, 2))
		x, w := make([]float32, rows*addends), make([]float32, addends*columns)
		for i := range x {
			x[i] = random.Float32()
		}
		for i := range w {
			w[i] = random.Float32() // the same sign rounds worst
		}
		model := loaders.ONNXBytes("sum.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{rows, addends}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{rows, columns}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{addends, columns},
				Raw: onnxtest.Float32s(w...)}},
			Nodes: []onnxtest.Node{{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"y"}}},
		}}.Bytes())
		input, err := tensor.New(tensor.Shape{rows, addends}, x)
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: input})
		Expect(err).NotTo(HaveOccurred())
		expected := run(ctx, ort.Engine(), model, fixtures.Of(set))
		sums := make([]float32, rows*columns)
		for i, v := range x {
			for c := range columns {
				sums[i/addends*columns+c] += v * w[i%addends*columns+c]
			}
		}
		y, err := tensor.New(tensor.Shape{rows, columns}, sums)
		Expect(err).NotTo(HaveOccurred())
		naive, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: y})
		Expect(err).NotTo(HaveOccurred())
		measured, err := noise.Measure(ctx, expected.Subject())
		Expect(err).NotTo(HaveOccurred())
		Expect(measured.Addends).To(Equal(addends))
		for _, verdict := range []compare.Verdict{compare.Pass, compare.Fail} {
			measured.Sequential = 0
			if verdict == compare.Pass {
				measured.Sequential = addends
			}
			report, err := compare.WithinNoise([]*tensor.Set{naive}, expected.Outputs(), measured,
				compare.Bars{}, compare.Options{})
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(verdict), report.Text())
		}
	})
})

// Plain convolutions of one layer: nothing after them hides how an engine sums.
var _ = Describe("Noise of a convolution", func() {
	DescribeTable("accepts engines that add its terms from first to last", func(ctx SpecContext,
		channels, taps int, least float32) {
		ort.Require(GinkgoT())
		openvino.Require(GinkgoT())
		tract.Require(GinkgoT())
		const outputs, places = 32, 60
		random := rand.New(rand.NewPCG(3, 4))
		draw := func(n int) []float32 {
			values := make([]float32, n)
			for i := range values {
				values[i] = least + (1-least)*random.Float32()
			}
			return values
		}
		model := loaders.ONNXBytes("convolution.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, channels, taps + places - 1}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1,
				Dims: []int64{outputs, int64(channels), int64(taps)},
				Raw:  onnxtest.Float32s(draw(outputs * channels * taps)...)}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{1, outputs, places}}},
			Nodes:   []onnxtest.Node{{Op: "Conv", In: []string{"x", "w"}, Out: []string{"y"}}},
		}}.Bytes())
		x, err := tensor.New(tensor.Shape{1, channels, taps + places - 1},
			draw(channels*(taps+places-1)))
		Expect(err).NotTo(HaveOccurred())
		inputs := fixtures.Of(set("x", x))
		reference := run(ctx, ort.Engine(), model, inputs)
		measured, err := noise.Measure(ctx, reference.Subject())
		Expect(err).NotTo(HaveOccurred())
		Expect(measured.Convolved).To(Equal(channels * taps))
		for _, engine := range []backends.Engine{openvino.Engine(), tract.Engine()} {
			actual := run(ctx, engine, model, inputs)
			measured.Sequential = noise.SequentialIn(measured, actual)
			Expect(measured.Sequential).To(Equal(channels * taps))
			report, err := compare.WithinNoise(actual.Outputs(), reference.Outputs(), measured,
				compare.Bars{}, compare.Options{})
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Pass), "%v: %s", engine, report.Text())
		}
	},
		Entry("one channel", 1, 512, float32(-1)),
		Entry("few channels", 3, 171, float32(-1)),
		Entry("many channels", 64, 9, float32(-1)),
		Entry("very many terms", 512, 9, float32(-1)),
		Entry("terms of one sign", 64, 9, float32(0)),
		Entry("terms of one sign in one channel", 1, 512, float32(0)),
	)

	It("knows how many terms an engine may add in a row", func() {
		of := &compare.Noise{Addends: 4096, Convolved: 147}
		Expect(noise.Sequential(of, ort.Engine(), nil)).To(BeZero())
		Expect(noise.Sequential(of, openvino.Engine())).To(Equal(512))
		Expect(noise.Sequential(of, ort.Engine(), ort.Engine(ort.Providers("cuda")))).To(Equal(4096))
		Expect(noise.Sequential(of, tract.Engine(), openvino.Engine())).To(Equal(4096))
		of.Addends, of.Convolved = 128, 128
		Expect(noise.Sequential(of, tract.Engine(), openvino.Engine())).To(BeZero())
		of.Convolved = 2000
		Expect(noise.Sequential(of, openvino.Engine())).To(Equal(2000))
	})
})
