package precision_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

func digitsSubject() backends.Subject {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	return subject(model, fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8)))
}

func subject(model *loaders.Model, inputs fixtures.Inputs) backends.Subject {
	return backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
}

// weights are some float32 numbers.
func weights(name string, dims ...int64) onnxtest.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	var raw []byte
	for i := range n {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(i%7)/7-0.4))
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: raw}
}

// residual is 3 blocks of Conv, BatchNormalization, Relu and Add, a Sigmoid, and a Conv behind it.
func residual() *loaders.Model {
	graph := onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 8, 6, 6}}},
		Outputs: []onnxtest.Value{{Name: "y"}},
	}
	pads := []onnxtest.Attr{{Name: "pads", Ints: []int64{1, 1, 1, 1}}}
	last := "x"
	for _, block := range []string{"a", "b", "c"} {
		graph.Nodes = append(graph.Nodes,
			onnxtest.Node{Op: "Conv", In: []string{last, block + ".w"}, Out: []string{block + ".conv"},
				Attrs: pads},
			onnxtest.Node{Op: "BatchNormalization", In: []string{block + ".conv", block + ".scale",
				block + ".bias", block + ".mean", block + ".var"}, Out: []string{block + ".bn"}},
			onnxtest.Node{Op: "Relu", In: []string{block + ".bn"}, Out: []string{block + ".relu"}},
			onnxtest.Node{Op: "Add", In: []string{block + ".relu", last}, Out: []string{block}})
		graph.Initializers = append(graph.Initializers, weights(block+".w", 8, 8, 3, 3))
		for _, name := range []string{".scale", ".bias", ".mean", ".var"} {
			graph.Initializers = append(graph.Initializers, weights(block+name, 8))
		}
		last = block
	}
	graph.Nodes = append(graph.Nodes,
		onnxtest.Node{Op: "Sigmoid", In: []string{last}, Out: []string{"s"}},
		onnxtest.Node{Op: "Conv", In: []string{"s", "d.w"}, Out: []string{"y"}, Attrs: pads})
	graph.Initializers = append(graph.Initializers, weights("d.w", 4, 8, 3, 3))
	return loaders.ONNXBytes("residual.onnx", onnxtest.Model{Graph: graph}.Bytes())
}

// confessing is an engine whose runs say that a node was computed in int8.
type confessing struct{ backends.Engine }

func (e confessing) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	b, err := e.Engine.Open(ctx, model, inputs)
	return confessed{b}, err
}

type confessed struct{ backends.Backend }

func (b confessed) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	run, err := b.Backend.Run(ctx, inputs)
	if err == nil {
		run.Provenance.Computed = "int8 in 1 node"
	}
	return run, err
}

// engines lists this machine's engines that compute in float32.
func engines() []backends.Engine {
	list := []backends.Engine{ort.Engine(), ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)),
		ort.Engine(ort.Threads(2))}
	if enginetest.Has("openvino", openvino.Available()) {
		list = append(list, openvino.Engine())
	}
	if enginetest.Has("tract", tract.Available()) {
		list = append(list, tract.Engine())
	}
	return list
}

var _ = Describe("The integer twin", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("is bit-equal in every engine that adds products in float32",
		func(ctx SpecContext, of func() backends.Subject, layers, hidden int) {
			report, err := precision.TwinAmong(ctx, of(), engines()...)
			Expect(err).NotTo(HaveOccurred())
			GinkgoWriter.Println(report.Text())
			Expect(report.Passes()).To(BeTrue(), report.Text())
			for _, s := range report.Sides {
				Expect(s.Computed.Arithmetic).To(Equal(precision.Exact), s.String())
			}
			Expect(report.Twin.Layers).To(Equal(layers))
			Expect(report.Twin.Hidden).To(HaveLen(hidden))
			// Every value is a multiple of the unit, and of some more than one.
			run, err := report.Twin.Run(ctx, ort.Engine())
			Expect(err).NotTo(HaveOccurred())
			greatest := 0.0
			for _, t := range run.Outputs()[0].All() {
				for i := range t.Len() {
					v := t.Float64At(i)
					Expect(v / report.Twin.Unit).To(Equal(math.Trunc(v / report.Twin.Unit)))
					greatest = max(greatest, math.Abs(v))
				}
			}
			Expect(greatest).To(And(BeNumerically(">=", report.Twin.Unit), BeNumerically("<", 1<<28)))
			Expect(report.Twin.Sum).To(BeNumerically(">=", 1<<20))
			Expect(report.Twin.Bits).To(And(BeNumerically(">=", 20), BeNumerically("<=", 24)))
		},
		Entry("digits", digitsSubject, 4, 0),
		Entry("a residual network with batch normalisation and a sigmoid inside",
			func() backends.Subject {
				model := residual()
				return subject(model, fixtures.Random(model))
			}, 4, 0),
	)

	It("is not compared with a run that says it is not float32", func(ctx SpecContext) {
		_, err := precision.TwinAmong(ctx, digitsSubject(), confessing{ort.Engine()})
		Expect(err).To(MatchError(ContainSubstring(": computed in float32 except int8 in 1 node")))
	})

	It("lists what it covers, and continues behind omitted nodes", func(ctx SpecContext) {
		model := residual()
		t, err := precision.TwinOf(ctx, subject(model, fixtures.Random(model)))
		Expect(err).NotTo(HaveOccurred())
		Expect(t.Covered).To(ConsistOf(precision.Operator{Name: "Conv", Nodes: 4},
			precision.Operator{Name: "BatchNormalization", Nodes: 3},
			precision.Operator{Name: "Relu", Nodes: 3},
			precision.Operator{Name: "Add", Nodes: 3}))
		Expect(t.LeftOut).To(ConsistOf(precision.Operator{Name: "Sigmoid", Nodes: 1}))
		Expect(t.Given).To(ConsistOf("s"))
		Expect(t.Text()).To(And(ContainSubstring("it omits 1 Sigmoid"),
			MatchRegexp(`\d of 4 layers affect the outputs`)))
	})

	It("catches an engine that computes in float16", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		report, err := precision.TwinAmong(ctx, digitsSubject(), ort.Engine(),
			tract.Engine(tract.FP16()))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Passes()).To(BeFalse())
		Expect(report.Sides[0].Passes()).To(BeTrue())
		Expect(report.Sides[1].Computed.Format).To(Equal(precision.FP16))
		Expect(report.Verdicts()).To(ContainSubstring("tract FP16: fp16: "))
	})

	It("catches OpenVINO in bfloat16, where the processor has it", func(ctx SpecContext) {
		openvino.Require(GinkgoT())
		report, err := precision.TwinAmong(ctx, digitsSubject(),
			openvino.Engine(openvino.Precision(openvino.BFloat16)))
		if err != nil {
			Skip("this processor computes no bfloat16: " + err.Error())
		}
		Expect(report.Sides[0].Computed.Format).To(Equal(precision.BF16), report.Verdicts())
	})

	// A rounded model on ONNX Runtime stands for an engine that silently computes in less than
	// float32, on processors without such arithmetic too.
	DescribeTable("tells a format from float32, by how the twin itself is rounded",
		func(ctx SpecContext, format precision.Format) {
			model, inputs := digits(1)
			exact, err := precision.TwinOf(ctx, run(ctx, ort.Engine(), model, inputs).Subject())
			Expect(err).NotTo(HaveOccurred())
			lower, err := precision.Of(ctx, backends.Subject{Engine: ort.Engine(), Model: exact.Model,
				Inputs: exact.Inputs}, format)
			Expect(err).NotTo(HaveOccurred())
			of := func(outputs []*tensor.Set) precision.Computed {
				return precision.ComputedIn(backends.NewRun(backends.Provenance{},
					backends.Iteration{Outputs: outputs[0]}), exact.Unit)
			}
			Expect(of(lower.Float32).Arithmetic).To(Equal(precision.Exact))
			p := of(lower.Runs[0])
			Expect(p.Arithmetic).To(Equal(precision.Lower))
			Expect(p.Format).To(Equal(format))
		},
		Entry("bfloat16", precision.BF16),
		Entry("TF32", precision.TF32),
		Entry("float16, which overflows", precision.FP16),
	)

	DescribeTable("tells formats by the bits they keep",
		func(ctx SpecContext, bits int, format precision.Format) {
			t, err := precision.TwinOf(ctx, digitsSubject())
			Expect(err).NotTo(HaveOccurred())
			run, err := t.Run(ctx, ort.Engine())
			Expect(err).NotTo(HaveOccurred())
			rounded, err := run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
				var entries []tensor.Entry
				for name, t := range set.All() {
					values := t.Float64s()
					for i, v := range values {
						if v != 0 {
							unit := math.Ldexp(1, math.Ilogb(v)+1-bits)
							values[i] = math.RoundToEven(v/unit) * unit
						}
					}
					wide, err := tensor.New(t.Shape(), values)
					if err != nil {
						return nil, err
					}
					entries = append(entries, tensor.Entry{Name: name, Tensor: wide})
				}
				return tensor.NewSet(entries...)
			})
			Expect(err).NotTo(HaveOccurred())
			p := precision.ComputedIn(rounded, t.Unit)
			Expect(p.Arithmetic).To(Equal(precision.Lower))
			Expect(p.Format).To(Equal(format), p.String())
		},
		Entry("TF32", 11, precision.TF32), Entry("bfloat16", 8, precision.BF16),
	)

	It("catches an engine that computes something else exactly", func(ctx SpecContext) {
		t, err := precision.TwinOf(ctx, digitsSubject())
		Expect(err).NotTo(HaveOccurred())
		shifted := backends.Subject{Engine: ort.Engine(), Model: t.Model, Inputs: t.Inputs}
		report, err := precision.TwinAmong(ctx, shifted, ort.Engine(), wrong{ort.Engine()})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Passes()).To(BeFalse())
		Expect(report.Sides[1].String()).To(MatchRegexp(
			`DIFFERS in \d+ elements of "\w+", although float32 represents every value exactly`))
	})

	It("recognises Winograd's convolution by its errors, and does not blame it", func() {
		random := rand.New(rand.NewPCG(1, 1))
		const tiles, channels, unit = 64, 32, 5461 * 16
		var fast []float32
		for range tiles {
			sum := [4][4]float32{}
			for range channels {
				var d [6][6]float32
				var g [3][3]float32
				for i := range d {
					for j := range d[i] {
						d[i][j] = float32(random.IntN(21)-10) * unit
					}
				}
				g[random.IntN(3)][random.IntN(3)] = float32(random.IntN(3) - 1)
				y := winograd(d, g)
				for i := range sum {
					for j := range sum[i] {
						sum[i][j] += y[i][j]
					}
				}
			}
			for i := range sum {
				fast = append(fast, sum[i][:]...)
			}
		}
		t, err := tensor.New(tensor.Shape{tiles, 4, 4}, fast)
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
		Expect(err).NotTo(HaveOccurred())
		p := precision.ComputedIn(backends.NewRun(backends.Provenance{},
			backends.Iteration{Outputs: set}), unit)
		Expect(p.Arithmetic).To(Equal(precision.Fast), p.String())
		Expect(p.Error).To(And(BeNumerically(">", 1e-9), BeNumerically("<", 1e-5)))
		Expect(precision.TwinSide{Computed: p}.Passes()).To(BeTrue())
	})

	It("is an error for a model without products", func(ctx SpecContext) {
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Sigmoid", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{3}}},
			Outputs: []onnxtest.Value{{Name: "y"}}}}.Bytes())
		of := subject(model, fixtures.Random(model))
		of.Engine = fake.Engine(fake.Opens(func(context.Context, fixtures.Declaration,
			fixtures.Inputs) (backends.Backend, error) {
			return nil, errors.New("nothing needs to run")
		}))
		_, err := precision.TwinOf(ctx, of)
		Expect(err).To(MatchError(ContainSubstring("no MatMul, Conv, ConvTranspose or Gemm with " +
			"alpha and beta 1 has float32 weights")))
	})

	It("says that weights computed from constants must be folded first", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Initializers: []onnxtest.Tensor{weights("w", 4, 8)},
			Nodes: []onnxtest.Node{{Op: "Transpose", In: []string{"w"}, Out: []string{"t"}},
				{Op: "MatMul", In: []string{"x", "t"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, 8}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}}}}.Bytes())
		_, err := precision.TwinOf(ctx, subject(model, fixtures.Random(model)))
		Expect(err).To(MatchError(HaveSuffix("functions do not count; first fold constants: " +
			"modelparity surgeon sanitize MODEL --fold-constants -o FOLDED")))
	})
})

// wrong is an engine that runs other weights.
type wrong struct{ backends.Engine }

func (w wrong) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	moved, err := edit.ReplaceConstants(model.(*loaders.Model),
		func(c loaders.Constant) (*tensor.Tensor, error) {
			values := c.Values.Float64s()
			for i := range values {
				values[i] = -values[i]
			}
			wide, err := tensor.New(c.Values.Shape(), values)
			if err != nil || !c.Values.ElementType().IsFloat() {
				return nil, err
			}
			return wide.Convert(c.Values.ElementType())
		})
	if err != nil {
		return nil, err
	}
	return w.Engine.Open(ctx, moved, inputs)
}

// winograd is F(4×4, 3×3) of one tile in float32, by the points 0, ±1, ±2 (Lavin and Gray 2016).
func winograd(d [6][6]float32, g [3][3]float32) (y [4][4]float32) {
	b := [6][6]float32{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
		{0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}}
	w := [6][3]float32{{1. / 4, 0, 0}, {-1. / 6, -1. / 6, -1. / 6}, {-1. / 6, 1. / 6, -1. / 6},
		{1. / 24, 1. / 12, 1. / 6}, {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1}}
	a := [4][6]float32{{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0},
		{0, 1, -1, 8, -8, 1}}
	var u, v [6][6]float32
	for i := range 6 {
		for j := range 6 {
			for k := range 6 {
				for l := range 6 {
					v[i][j] += b[i][k] * d[k][l] * b[j][l]
				}
			}
			for k := range 3 {
				for l := range 3 {
					u[i][j] += w[i][k] * g[k][l] * w[j][l]
				}
			}
		}
	}
	for i := range 4 {
		for j := range 4 {
			for k := range 6 {
				for l := range 6 {
					y[i][j] += a[i][k] * (u[k][l] * v[k][l]) * a[j][l]
				}
			}
		}
	}
	return y
}
