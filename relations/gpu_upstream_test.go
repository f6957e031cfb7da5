//go:build linux && cgo

package relations_test

import (
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// Models that are similar to reports about TensorRT, tried on a GPU. docs/evidence/findings.md says
// what came out, by the reports' numbers.

// segformerB2 is the first encoder block of SegFormer-b2 in its real size, with random weights
// (TensorRT#4853): image[batch,3,512,512] to y[batch,64,128,128].
func segformerB2() *loaders.Model {
	g := &graph{}
	x := g.stage("one", "image", stage{from: 3, to: 64, kernel: 7, stride: 4, side: 128, reduce: 8,
		heads: 1, wider: 4})
	g.node("Identity", "y", []string{x})
	return g.model("segformer-b2", "image", "y", "batch", 3, 512, 512)
}

// deformable is a layer of a DETR-like decoder with random weights (TensorRT#4813): 100 queries
// sample two levels of features at places that the queries choose.
func deformable() *loaders.Model {
	const queries, width, heads, points = 100, 32, 4, 4
	g := &graph{}
	dense := func(name, x string, to int64) string {
		return g.node("MatMul", name, []string{x, g.weight(
			seeded(name+".w", 1/math.Sqrt(float64(width)), width, to))})
	}
	shaped := func(name, x string, dims ...int64) string {
		return g.node("Reshape", name, []string{x, g.weight(integers(name+".shape", dims...))})
	}
	swapped := func(name, x string, perm ...int64) string {
		return g.node("Transpose", name, []string{x}, ints("perm", perm...))
	}
	conv := func(name, x string, from, kernel, stride int64) string {
		x = g.node("Conv", name, []string{x, g.weight(seeded(name+".w",
			1/math.Sqrt(float64(from*kernel*kernel)), width, from, kernel, kernel))},
			ints("strides", stride, stride), ints("pads", kernel/2, kernel/2, kernel/2, kernel/2))
		return g.node("Relu", name+".relu", []string{x})
	}
	fine := conv("fine", "image", 3, 7, 4)
	coarse := conv("coarse", fine, width, 3, 2)

	image := g.node("GlobalAveragePool", "pooled", []string{coarse})
	query := g.node("Add", "query", []string{shaped("image.row", image, 0, 1, width),
		g.weight(seeded("learned", 1, 1, queries, width))})
	byHead := func(name string) string {
		return swapped(name+".heads", shaped(name+".split", dense(name, query, width),
			0, queries, heads, width/heads), 0, 2, 1, 3)
	}
	scores := g.node("MatMul", "scores", []string{byHead("q"),
		swapped("k.t", byHead("k"), 0, 1, 3, 2)})
	seen := g.node("MatMul", "seen", []string{
		g.node("Softmax", "attention", []string{scores}, count("axis", -1)), byHead("v")})
	query = g.node("Add", "attended", []string{query, shaped("seen.rows",
		swapped("seen.t", seen, 0, 2, 1, 3), 0, queries, width)})

	// Each head has its own image of width/heads channels, and samples it at its own points.
	var levels []string
	for _, level := range []struct {
		name, features string
		side           int64
	}{{"fine", fine, 16}, {"coarse", coarse, 8}} {
		places := g.node("Tanh", level.name+".places", []string{
			dense(level.name+".offsets", query, heads*points*2)})
		places = shaped(level.name+".grid", swapped(level.name+".grid.t",
			shaped(level.name+".grid.heads", places, 0, queries, heads, points*2), 0, 2, 1, 3),
			-1, queries, points, 2)
		levels = append(levels, g.node("GridSample", level.name+".sampled", []string{
			shaped(level.name+".value", level.features, -1, width/heads, level.side, level.side), places},
			onnxtest.Attr{Name: "mode", Text: "bilinear"}))
	}
	sampled := g.node("Concat", "sampled", levels, count("axis", 3))
	weights := g.node("Softmax", "weights", []string{shaped("weights.heads", dense("logits", query,
		heads*points*2), 0, queries, heads, points*2)}, count("axis", -1))
	weights = shaped("weights.rows", swapped("weights.t", weights, 0, 2, 1, 3),
		-1, 1, queries, points*2)
	weighted := g.node("Mul", "weighted", []string{sampled, weights})
	sampled = g.node("ReduceSum", "sum", []string{weighted,
		g.weight(integers("last", -1))}, count("keepdims", 0))
	sampled = swapped("sum.t", shaped("sum.rows", sampled, -1, width, queries), 0, 2, 1)
	query = g.node("Add", "deformed", []string{query, dense("out", sampled, width)})
	g.node("Sigmoid", "y", []string{dense("classes", query, 10)})
	return g.model("deformable", "image", "y", "batch", 3, 64, 64)
}

// selfAttention is attention over rows of 128 tokens in the report's sizes (TensorRT#4796), and in
// float16 by its own types: tokens[batch,128,1024] to y.
func selfAttention() *loaders.Model {
	const width, heads = 1024, 16
	g := &graph{}
	heads4 := func(name string, perm ...int64) string {
		x := g.node("MatMul", name, []string{"tokens", g.weight(
			seeded(name+".w", 1/math.Sqrt(float64(width)), width, width))})
		x = g.node("Reshape", name+".split", []string{x, g.weight(
			integers(name+".shape", 0, -1, heads, width/heads))})
		return g.node("Transpose", name+".heads", []string{x}, ints("perm", perm...))
	}
	scores := g.node("MatMul", "scores", []string{heads4("q", 0, 2, 1, 3), heads4("k", 0, 2, 3, 1)})
	weights := g.node("Softmax", "weights", []string{scores}, count("axis", -1))
	g.node("MatMul", "y", []string{weights, heads4("v", 0, 2, 1, 3)})
	half, _, err := edit.ToFloat16(g.model("attention", "tokens", "y", "batch", 128, width),
		edit.Float16{})
	Expect(err).NotTo(HaveOccurred())
	return half
}

// cumSums gives the sums of x by two nodes in one model (TensorRT#4551, #4513).
func cumSums(axes [2]int64, reverse [2]int64) *loaders.Model {
	g := &graph{}
	dims := []any{3, 4}
	for i, name := range []string{"y", "z"} {
		axis := g.weight(onnxtest.Tensor{Name: name + ".axis", Type: 7, Raw: onnxtest.Int64s(axes[i])})
		g.node("CumSum", name, []string{"x", axis}, count("reverse", reverse[i]))
		g.Outputs = append(g.Outputs, onnxtest.Value{Name: name, Elem: 1, Dims: dims})
	}
	g.Inputs = []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}}
	return loaders.ONNXBytes("cumsum.onnx", onnxtest.Model{Graph: g.Graph}.Bytes())
}

// chosen resizes what an If gives, transposed before or after it (TensorRT#4846).
func chosen(before bool) *loaders.Model {
	branch := func(name string, plus float32) *onnxtest.Graph {
		return &onnxtest.Graph{Name: name, Outputs: []onnxtest.Value{{Name: name, Elem: 1,
			Dims: []any{"batch", 1, "a", "b"}}}, Nodes: []onnxtest.Node{
			{Op: "Constant", Name: name + ".plus", Out: []string{name + ".plus"}, Attrs: []onnxtest.Attr{{
				Name: "value", Tensor: &onnxtest.Tensor{Type: 1, Raw: onnxtest.Float32s(plus)}}}},
			{Op: "Add", Name: name, In: []string{"branched", name + ".plus"}, Out: []string{name}}}}
	}
	g := &graph{}
	g.node("Identity", "branched", []string{"x"})
	if before {
		g.Nodes = nil
		g.node("Transpose", "branched", []string{"x"}, ints("perm", 0, 1, 3, 2))
	}
	out := g.node("If", "picked", []string{"condition"},
		onnxtest.Attr{Name: "then_branch", Graph: branch("two", 2)},
		onnxtest.Attr{Name: "else_branch", Graph: branch("one", 1)})
	if !before {
		out = g.node("Transpose", "turned", []string{out}, ints("perm", 0, 1, 3, 2))
	}
	cubic := float32(-0.75)
	sizes := g.node("Concat", "sizes", []string{
		g.node("Shape", "batch", []string{"x"}, count("end", 1)),
		g.weight(integers("rest", 1, 47, 29))}, count("axis", 0))
	g.node("Resize", "y", []string{out, "", "", sizes}, onnxtest.Attr{Name: "mode", Text: "cubic"},
		onnxtest.Attr{Name: "cubic_coeff_a", Float: &cubic},
		onnxtest.Attr{Name: "coordinate_transformation_mode", Text: "align_corners"})
	g.Inputs = []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", 1, "h", "w"}},
		{Name: "condition", Elem: 9, Dims: []any{}}}
	g.Outputs = []onnxtest.Value{{Name: "y", Elem: 1}}
	return loaders.ONNXBytes("chosen.onnx", onnxtest.Model{Graph: g.Graph}.Bytes())
}

func choosing(model *loaders.Model, condition int) fixtures.Inputs {
	return fixtures.Random(model, fixtures.Shape("x", 4, 1, 19, 31),
		fixtures.ValRangeFor("condition", condition, condition))
}

var _ = Describe("the models of bugs that were reported about TensorRT", func() {
	run := func(ctx SpecContext, model *loaders.Model, inputs fixtures.Inputs) *tensor.Set {
		GinkgoHelper()
		ort.Require(GinkgoT())
		got, err := ort.Run(ctx, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		return got.Outputs()[0]
	}

	It("choose a branch in ONNX Runtime, and turn it before or after", func(ctx SpecContext) {
		var results []string
		for _, before := range []bool{false, true} {
			for condition := range 2 {
				model := chosen(before)
				y, _ := run(ctx, model, choosing(model, condition)).Get("y")
				Expect(y.Shape()).To(HaveExactElements(4, 1, 47, 29))
				results = append(results, y.GomegaString())
			}
		}
		Expect(results[:2]).To(Equal(results[2:]))
		Expect(results[0]).NotTo(Equal(results[1]))
	})

	It("attend in float16 in ONNX Runtime", func(ctx SpecContext) {
		model := selfAttention()
		y, _ := run(ctx, model, fixtures.Random(model, fixtures.Shape("tokens", 2, 128, 1024))).Get("y")
		Expect(y.Shape()).To(HaveExactElements(2, 16, 128, 64))
	})

	It("sum over their own axes and directions in ONNX Runtime", func(ctx SpecContext) {
		for _, model := range []*loaders.Model{cumSums([2]int64{0, 1}, [2]int64{}),
			cumSums([2]int64{1, 1}, [2]int64{0, 1})} {
			sums := run(ctx, model, fixtures.Random(model))
			Expect(sums.At(0).Tensor.GomegaString()).NotTo(Equal(sums.At(1).Tensor.GomegaString()))
		}
	})
})

var _ = Describe("bugs reported about TensorRT, on a GPU", Label("gpu"), func() {
	long := SpecTimeout(8 * time.Minute)
	BeforeEach(func() {
		ort.Require(GinkgoT())
		trt.Require(GinkgoT())
	})

	agrees := func(ctx SpecContext, model *loaders.Model, inputs fixtures.Inputs, limit float64,
		options ...trt.Option) {
		GinkgoHelper()
		got, err := trt.Run(ctx, model, inputs, options...)
		Expect(err).NotTo(HaveOccurred())
		expected, err := ort.Run(ctx, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		report, err := compare.Sets(got.Outputs()[0], expected.Outputs()[0], compare.Options{
			Checks: []compare.Check{compare.NormRelative(limit)}})
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(report.Text())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Text())
	}

	DescribeTable("rows of a batch", func(ctx SpecContext, name string, limit float64,
		options ...trt.Option) {
		x := onGPUs[name]
		if name == "attention" {
			x = onGPU{model: selfAttention(), input: "tokens", row: []int{128, 1024}, most: 1}
		}
		dynamic := trt.Profile(trt.Range(x.input, x.shape(1), x.shape(2), x.shape(4)))
		s := x.subject(ctx, append(options, dynamic)...)
		near := relations.Rule{Checks: []compare.Check{compare.NormRelative(limit)}}
		for _, rule := range []relations.Rule{{}, near} {
			report, err := relations.Check(ctx, s, relations.Options{Rule: rule}, relations.Rows(),
				relations.Batch())
			Expect(err).NotTo(HaveOccurred())
			GinkgoWriter.Println(report.Text())
			if !rule.Exact() {
				Expect(report.Holds()).To(BeTrue(), report.Text())
			}
		}
		agrees(ctx, x.model, s.Inputs, limit, append(options, dynamic)...)
		fixed := trt.Profile(trt.Range(x.input, x.shape(2), x.shape(2), x.shape(2)))
		agrees(ctx, x.model, s.Inputs, limit, append(options, fixed)...)
	},
		Entry("#4853 in float32", long, "segformer-b2", 1e-4),
		Entry("#4853 at level 0", long, "segformer-b2", 1e-4, trt.OptimizationLevel(0)),
		Entry("#4853 in FP16", long, "segformer-b2", 1e-2, trt.FP16()),
		Entry("#4796 in float16, strongly typed", long, "attention", 1e-2, trt.StronglyTyped()),
		Entry("#4813 in float32", long, "deformable", 1e-4),
		Entry("#4813 strongly typed", long, "deformable", 1e-4, trt.StronglyTyped()),
		Entry("#4813 in FP16", long, "deformable", 1e-2, trt.FP16()),
	)

	It("#4813 in other profiles", func(ctx SpecContext) {
		report, err := relations.Check(ctx, onGPUs["deformable"].subject(ctx),
			relations.Options{}, relations.Profiles())
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(report.Text())
		Expect(report.Holds()).To(BeTrue(), report.Text())
	}, long)

	DescribeTable("CumSum", func(ctx SpecContext, axes, reverse [2]int64) {
		model := cumSums(axes, reverse)
		agrees(ctx, model, fixtures.Random(model), 1e-6)
	},
		Entry("#4551, over two axes", long, [2]int64{0, 1}, [2]int64{}),
		Entry("#4551, the other axis first", long, [2]int64{1, 0}, [2]int64{}),
		Entry("#4513, forwards and in reverse", long, [2]int64{1, 1}, [2]int64{0, 1}),
	)

	DescribeTable("#4846, Resize of an If", func(ctx SpecContext, before bool, condition int) {
		model := chosen(before)
		agrees(ctx, model, choosing(model, condition), 1e-4, trt.Profile(
			trt.Range("x", []int{1, 1, 8, 8}, []int{2, 1, 16, 16}, []int{4, 1, 32, 32})))
	},
		Entry("transposed after it, then", long, false, 1),
		Entry("transposed after it, else", long, false, 0),
		Entry("transposed before it, then", long, true, 1),
		Entry("transposed before it, else", long, true, 0),
	)
})
