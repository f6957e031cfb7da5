//go:build linux && cgo

package relations_test

import (
	"encoding/binary"
	"log/slog"
	"math"
	"math/rand/v2"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
)

// These specs need a GPU and TensorRT. They run batches of every size in a profile of 1 to 33 with
// optimum 4, and print their reports. A breach names the first node.

// seeded returns pseudo-random float32 numbers with the given scale.
func seeded(name string, scale float64, dims ...int64) onnxtest.Tensor {
	n, seed := int64(1), uint64(len(name))
	for _, d := range dims {
		n *= d
	}
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	var raw []byte
	for range n {
		v := float32(random.NormFloat64() * scale)
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: raw}
}

func integers(name string, values ...int64) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: 7, Dims: []int64{int64(len(values))},
		Raw: onnxtest.Int64s(values...)}
}

func ints(name string, values ...int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Ints: values}
}

func count(name string, value int64) onnxtest.Attr { return onnxtest.Attr{Name: name, Int: &value} }

// graph is a graph under construction.
type graph struct{ onnxtest.Graph }

func (g *graph) weight(t onnxtest.Tensor) string {
	g.Initializers = append(g.Initializers, t)
	return t.Name
}

func (g *graph) node(op, out string, in []string, attrs ...onnxtest.Attr) string {
	g.Nodes = append(g.Nodes, onnxtest.Node{Op: op, Name: out + " " + op, In: in, Out: []string{out},
		Attrs: attrs})
	return out
}

func (g *graph) model(name, in, out string, dims ...any) *loaders.Model {
	g.Inputs = []onnxtest.Value{{Name: in, Elem: 1, Dims: dims}}
	g.Outputs = []onnxtest.Value{{Name: out, Elem: 1}}
	return loaders.ONNXBytes(name+".onnx", onnxtest.Model{Graph: g.Graph}.Bytes())
}

// residual is a small residual CNN of image[batch,3,32,32] with random weights.
func residual() *loaders.Model {
	g := &graph{}
	pads := ints("pads", 1, 1, 1, 1)
	x := g.node("Conv", "stem", []string{"image", g.weight(seeded("stem.w", 0.2, 32, 3, 3, 3))}, pads)
	x = g.node("Relu", "stem.relu", []string{x})
	for _, block := range []string{"a", "b", "c"} {
		y := g.node("Conv", block+".1", []string{x, g.weight(seeded(block+".1.w", 0.08, 32, 32, 3, 3))},
			pads)
		y = g.node("Relu", block+".relu", []string{y})
		y = g.node("Conv", block+".2", []string{y, g.weight(seeded(block+".2.w", 0.05, 32, 32, 3, 3))},
			pads)
		x = g.node("Relu", block, []string{g.node("Add", block+".add", []string{y, x})})
	}
	x = g.node("GlobalAveragePool", "pool", []string{x})
	x = g.node("Flatten", "flat", []string{x})
	g.node("Gemm", "y", []string{x, g.weight(seeded("head.w", 0.2, 32, 10))})
	return g.model("residual", "image", "y", "batch", 3, 32, 32)
}

// segformer is a network similar to TensorRT#4853's, with random weights: overlapping patches,
// attention over a reduced sequence, a depthwise convolution in the MLP, and a decoder that
// upsamples both stages; image[batch,3,64,64] to y[batch,8,16,16].
func segformer() *loaders.Model {
	g := &graph{}
	first := g.stage("one", "image", stage{from: 3, to: 32, kernel: 7, stride: 4, side: 16, reduce: 4,
		heads: 2, wider: 2})
	second := g.stage("two", first, stage{from: 32, to: 64, kernel: 3, stride: 2, side: 8, reduce: 2,
		heads: 2, wider: 2})
	small := g.node("Conv", "small", []string{second, g.weight(seeded("small.w", 0.1, 32, 64, 1, 1))})
	scales := g.weight(onnxtest.Tensor{Name: "scales", Type: 1, Dims: []int64{4},
		Raw: onnxtest.Float32s(1, 1, 2, 2)})
	large := g.node("Resize", "large", []string{small, "", scales},
		onnxtest.Attr{Name: "mode", Text: "linear"})
	both := g.node("Concat", "both", []string{large, first}, count("axis", 1))
	fused := g.node("Conv", "fuse", []string{both, g.weight(seeded("fuse.w", 0.1, 64, 64, 1, 1))})
	fused = g.node("Relu", "fuse.relu", []string{fused})
	g.node("Conv", "y", []string{fused, g.weight(seeded("classes.w", 0.1, 8, 64, 1, 1))})
	return g.model("segformer", "image", "y", "batch", 3, 64, 64)
}

// stage is the sizes of one stage of an encoder.
type stage struct {
	from, to       int64 // channels
	kernel, stride int64 // of the patches
	side           int64 // of the result
	reduce         int64 // divides the side, for keys and values
	heads          int64
	wider          int64 // channels inside the MLP, as a multiple of to
}

// stage adds one stage of the encoder.
func (g *graph) stage(s, in string, d stage) string {
	to, side, reduce, inside := d.to, d.side, d.reduce, d.wider*d.to
	norm := func(name, x string) string {
		ones := make([]float32, to)
		for i := range ones {
			ones[i] = 1
		}
		scale := g.weight(onnxtest.Tensor{Name: name + ".scale", Type: 1, Dims: []int64{to},
			Raw: onnxtest.Float32s(ones...)})
		return g.node("LayerNormalization", name, []string{x, scale, g.weight(
			seeded(name+".bias", 0.1, to))})
	}
	dense := func(name, x string, a, b int64) string {
		return g.node("MatMul", name, []string{x, g.weight(
			seeded(name+".w", 1/math.Sqrt(float64(a)), a, b))})
	}
	toImage := func(name, x string, channels, size int64) string {
		x = g.node("Transpose", name+".t", []string{x}, ints("perm", 0, 2, 1))
		return g.node("Reshape", name, []string{x, g.weight(
			integers(name+".shape", 0, channels, size, size))})
	}
	toRows := func(name, x string, channels int64) string {
		x = g.node("Reshape", name+".r", []string{x, g.weight(integers(name+".shape", 0, channels, -1))})
		return g.node("Transpose", name, []string{x}, ints("perm", 0, 2, 1))
	}
	pad := d.kernel / 2
	x := g.node("Conv", s+".patch", []string{in, g.weight(seeded(s+".patch.w",
		1/math.Sqrt(float64(d.from*d.kernel*d.kernel)), to, d.from, d.kernel, d.kernel))},
		ints("strides", d.stride, d.stride), ints("pads", pad, pad, pad, pad))
	x = norm(s+".norm0", toRows(s+".rows", x, to))

	n := norm(s+".norm1", x)
	reduced := g.node("Conv", s+".reduce", []string{toImage(s+".image", n, to, side), g.weight(
		seeded(s+".reduce.w", 1/math.Sqrt(float64(to*reduce*reduce)), to, to, reduce, reduce))},
		ints("strides", reduce, reduce))
	kv := norm(s+".norm2", toRows(s+".reduced", reduced, to))
	width := to / d.heads
	split := func(name, x string, perm ...int64) string {
		x = g.node("Reshape", name+".heads", []string{x, g.weight(
			integers(name+".shape", 0, -1, d.heads, width))})
		return g.node("Transpose", name+".split", []string{x}, ints("perm", perm...))
	}
	q := split(s+".q", dense(s+".query", n, to, to), 0, 2, 1, 3)
	k := split(s+".k", dense(s+".key", kv, to, to), 0, 2, 3, 1)
	v := split(s+".v", dense(s+".value", kv, to, to), 0, 2, 1, 3)
	scores := g.node("MatMul", s+".scores", []string{q, k})
	root := g.weight(onnxtest.Tensor{Name: s + ".root", Type: 1,
		Raw: onnxtest.Float32s(float32(1 / math.Sqrt(float64(width))))})
	scores = g.node("Mul", s+".scaled", []string{scores, root})
	scores = g.node("Softmax", s+".weights", []string{scores}, count("axis", -1))
	out := g.node("MatMul", s+".context", []string{scores, v})
	out = g.node("Transpose", s+".join", []string{out}, ints("perm", 0, 2, 1, 3))
	out = g.node("Reshape", s+".joined", []string{out, g.weight(
		integers(s+".joined.shape", 0, -1, to))})
	x = g.node("Add", s+".attention", []string{x, dense(s+".out", out, to, to)})

	h := dense(s+".up", norm(s+".norm3", x), to, inside)
	h = g.node("Conv", s+".depthwise", []string{toImage(s+".mlp", h, inside, side), g.weight(
		seeded(s+".depthwise.w", 0.3, inside, 1, 3, 3))}, count("group", inside),
		ints("pads", 1, 1, 1, 1))
	h = g.node("Relu", s+".act", []string{toRows(s+".mlp.rows", h, inside)})
	x = g.node("Add", s+".mlp.add", []string{x, dense(s+".down", h, inside, to)})
	return toImage(s+".stage", x, to, side)
}

// onGPU is a model with its profile's shapes and inputs of two rows.
type onGPU struct {
	model *loaders.Model
	input string
	row   []int // dims of one row
	most  int   // greatest input value
}

func (x onGPU) shape(n int) []int { return append([]int{n}, x.row...) }

func (x onGPU) subject(ctx SpecContext, options ...trt.Option) backends.Subject {
	GinkgoHelper()
	options = append([]trt.Option{trt.EngineCache(GinkgoT().TempDir()),
		trt.Log(GinkgoWriter, slog.LevelWarn)}, options...)
	return backends.Subject{Engine: trt.Engine(options...), Model: x.model,
		Inputs: fixtures.Random(x.model, fixtures.Shape(x.input, x.shape(2)...),
			fixtures.ValRange(0, x.most))}
}

// profile allows 1 to 33 rows, with optimum 4.
func (x onGPU) profile() trt.Option {
	return trt.Profile(trt.Range(x.input, x.shape(1), x.shape(4), x.shape(33)))
}

var onGPUs = map[string]onGPU{
	"digits":       {model: examples["digits"].model, input: "image", row: []int{1, 8, 8}, most: 1},
	"residual":     {model: residual(), input: "image", row: []int{3, 32, 32}, most: 1},
	"encoder":      {model: examples["encoder"].model, input: "tokens", row: []int{16}, most: 63},
	"segformer":    {model: segformer(), input: "image", row: []int{3, 64, 64}, most: 1},
	"segformer-b2": {model: segformerB2(), input: "image", row: []int{3, 512, 512}, most: 1},
	"deformable":   {model: deformable(), input: "image", row: []int{3, 64, 64}, most: 1},
}

var _ = Describe("relations on a GPU", Label("gpu"), func() {
	BeforeEach(func() { trt.Require(GinkgoT()) })
	long := SpecTimeout(8 * time.Minute)
	all := []relations.Relation{relations.Repeat(3), relations.Rows(), relations.Batch(),
		relations.Order()}

	bitwise := func(ctx SpecContext, name string, options ...trt.Option) {
		GinkgoHelper()
		x := onGPUs[name]
		report, err := relations.Check(ctx, x.subject(ctx, append(options, x.profile())...),
			relations.Options{Locate: true}, all...)
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(report.Text())
		Expect(report.Holds()).To(BeTrue(), report.Text())
	}
	DescribeTable("hold bit for bit in every batch of a profile", bitwise,
		Entry("digits in float32", long, "digits"),
		Entry("digits in FP16", long, "digits", trt.FP16()),
		Entry("a residual CNN in float32", long, "residual"),
		Entry("a residual CNN in FP16", long, "residual", trt.FP16()),
		Entry("an encoder in float32", long, "encoder"),
		Entry("an encoder in FP16", long, "encoder", trt.FP16()),
	)

	It("hold for digits with a profile derived from the batches", func(ctx SpecContext) {
		report, err := relations.Check(ctx, onGPUs["digits"].subject(ctx),
			relations.Options{Locate: true}, all...)
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(report.Text())
		Expect(report.Holds()).To(BeTrue(), report.Text())
	}, long)

	// Kernels for another likely shape may round differently, so float32 must match within noise.
	DescribeTable("hold in other profiles", func(ctx SpecContext, name string, rule relations.Rule,
		options ...trt.Option) {
		ort.Require(GinkgoT())
		x := onGPUs[name]
		report, err := relations.Check(ctx, x.subject(ctx, append(options, x.profile())...),
			relations.Options{Rule: rule}, relations.Profiles())
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(report.Text())
		Expect(report.Holds()).To(BeTrue(), report.Text())
	},
		Entry("digits in float32", long, "digits", relations.Rule{}),
		Entry("a residual CNN in float32", long, "residual", relations.Rule{}),
		Entry("an encoder in float32", long, "encoder", relations.Rule{}),
		Entry("a SegFormer-like network in float32", long, "segformer", relations.Rule{}),
		Entry("a residual CNN in FP16", long, "residual", relations.Rule{
			Checks: []compare.Check{compare.NormRelative(1e-2)}}, trt.FP16()),
		// At the default level, its eight builds take longer than eight minutes.
		Entry("a SegFormer-like network in FP16", long, "segformer", relations.Rule{
			Checks: []compare.Check{compare.NormRelative(1e-2)}}, trt.FP16(), trt.OptimizationLevel(1)),
	)

	// Kernels may change with the batch size here, as in SegFormer-b0, but the numbers must stay
	// close.
	DescribeTable("hold within 1e-4 of the norm for a SegFormer-like network", func(ctx SpecContext,
		limit float64, options ...trt.Option) {
		x := onGPUs["segformer"]
		s := x.subject(ctx, append(options, x.profile())...)
		exact, err := relations.Check(ctx, s, relations.Options{Locate: true}, all...)
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(exact.Text())
		near, err := relations.Check(ctx, s, relations.Options{Locate: true, Rule: relations.Rule{
			Checks: []compare.Check{compare.NormRelative(limit)}}}, all...)
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(near.Text())
		Expect(near.Holds()).To(BeTrue(), exact.Text()+near.Text())
	},
		Entry("in float32", long, 1e-4),
		Entry("in FP16", long, 1e-2, trt.FP16()),
	)
})

// The GPU networks also run here, which proves them valid.
var _ = Describe("the networks for a GPU", func() {
	for _, name := range []string{"residual", "segformer", "deformable"} {
		It("hold in ONNX Runtime: "+name, func(ctx SpecContext) {
			e := engines["ONNX Runtime"]
			e.require(GinkgoT())
			x := onGPUs[name]
			s := x.subject(ctx)
			s.Engine = e.engine
			report, err := relations.Check(ctx, s, relations.Options{Sizes: []int{1, 2, 4},
				Rule: relations.Rule{Checks: []compare.Check{compare.NormRelative(1e-5)}}},
				relations.Rows(), relations.Batch())
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Holds()).To(BeTrue(), report.Text())
		})
	}
})
