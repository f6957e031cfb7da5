package noise_test

import (
	"math"

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
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Noise of outputs at the end of their range", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("allows a saturated output only its last rounding", func(ctx SpecContext) {
		m := modelOf(1, onnxtest.Node{Op: "Sigmoid", In: []string{"x"}, Out: []string{"y"}})
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](90, 95, 99))))
		near := backends.NewRun(reference.Provenance, backends.Iteration{
			Outputs: set("y", tensor.Of(math.Nextafter32(1, 0), 1, 1))})
		Expect(judge(near, reference).Verdict).To(Equal(compare.Pass))
		far := backends.NewRun(reference.Provenance, backends.Iteration{
			Outputs: set("y", tensor.Of[float32](0.99999, 1, 1))})
		Expect(judge(far, reference).Verdict).To(Equal(compare.Fail))
	})

	// Sigmoid below -18 is 0 in ONNX Runtime, 1e-8 and less in OpenVINO, and 4e-7 in tract.
	for op, background := range map[string][2]float32{"Sigmoid": {-6.9, 1e-3}, "Tanh": {1e-3, 1e-3}} {
		It("lets engines end a "+op+" in different ways, and sees what is not at its end",
			func(ctx SpecContext) {
				openvino.Require(GinkgoT())
				tract.Require(GinkgoT())
				m := modelOf(1, onnxtest.Node{Op: op, In: []string{"x"}, Out: []string{"y"}})
				for _, from := range []float32{-40, -18, 9} {
					x := make([]float32, 1500)
					for i := range x {
						x[i] = from + float32(i)/1e4
					}
					x[0] = 1 // an output of its end alone has nothing but noise
					input, err := tensor.New(tensor.Shape{1500}, x)
					Expect(err).NotTo(HaveOccurred())
					inputs := fixtures.Of(set("x", input))
					reference := run(ctx, ort.Engine(), m, inputs)
					for _, engine := range []backends.Engine{openvino.Engine(), tract.Engine()} {
						report := judge(run(ctx, engine, m, inputs), reference)
						Expect(report.Verdict).To(Equal(compare.Pass), "%v from %v: %s", engine, from,
							report.Text())
					}
				}
				reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x",
					tensor.Of(-40, background[0], 40))))
				values, err := tensor.Values[float32](reference.Outputs()[0].Values()[0].Tensor)
				Expect(err).NotTo(HaveOccurred())
				Expect(values[1]).To(BeNumerically("~", background[1], 1e-5))
				for _, wrong := range []float32{0, background[1] * 1.01} {
					off := backends.NewRun(reference.Provenance, backends.Iteration{
						Outputs: set("y", tensor.Of(values[0], wrong, values[2]))})
					Expect(judge(off, reference).Verdict).To(Equal(compare.Fail))
				}
			})
	}

	DescribeTable("allows gates that are closed a few last bits of what they let through", func(
		ctx SpecContext, op string, gates int, state []string) {
		weight := func(name string, value func(i int) float32, dims ...int64) onnxtest.Tensor {
			n := int64(1)
			for _, d := range dims {
				n *= d
			}
			values := make([]float32, n)
			for i := range values {
				values[i] = value(i)
			}
			t := floats(name, values...)
			t.Dims = dims
			return t
		}
		small := func(int) float32 { return 0.1 }
		rows := int64(2 * gates)
		closed := func(i int) float32 { // of the second unit; what GRU lets through is 1-z
			switch {
			case i%2 == 0 || i >= 2*(gates-1): // the last is no gate
				return 0
			case op == "GRU":
				return 40
			}
			return -40
		}
		m := loaders.ONNXBytes("gated", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: op, In: []string{"x", "w", "r", "b"}, Out: state,
				Attrs: []onnxtest.Attr{{Name: "hidden_size", Int: new(int64(2))}}}},
			Initializers: []onnxtest.Tensor{weight("w", small, 1, rows, 3),
				weight("r", small, 1, rows, 2), weight("b", closed, 1, 2*rows)},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 1, 3}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{1, 1, 2}}}}}.Bytes())
		x, err := tensor.New(tensor.Shape{1, 1, 3}, []float32{1, 2, 3})
		Expect(err).NotTo(HaveOccurred())
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", x)))
		open, _ := reference.Outputs()[0].Get("y")
		other := func(second float32) *backends.Run {
			y, err := tensor.New(tensor.Shape{1, 1, 2}, []float32{float32(open.Float64At(0)), second})
			Expect(err).NotTo(HaveOccurred())
			return backends.NewRun(reference.Provenance, backends.Iteration{Outputs: set("y", y)})
		}
		Expect(judge(other(4e-7), reference).Verdict).To(Equal(compare.Pass))
		Expect(judge(other(1e-4), reference).Verdict).To(Equal(compare.Fail))
	},
		Entry(nil, "LSTM", 4, []string{"", "", "y"}), Entry(nil, "LSTM", 4, []string{"", "y"}),
		Entry(nil, "GRU", 3, []string{"", "y"}),
	)
})
