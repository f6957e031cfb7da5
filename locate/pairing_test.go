package locate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// imageSide runs an image network in ONNX Runtime, as it is written.
func imageSide(name string, g onnxtest.Graph) backends.Subject {
	model := loaders.ONNXBytes(name, onnxtest.Model{Graph: g}.Bytes())
	return backends.Subject{Engine: plain, Model: model, Inputs: fixtures.Random(model,
		fixtures.Seed(3), fixtures.Shape("x", 2, channels, edge, edge), fixtures.ValRange(-1, 1))}
}

// visible is the rule of these specs: far above rounding, far below the faults.
func visible() locate.Options {
	return locate.Options{Isolate: true, Compare: compare.Options{
		Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Elementwise)}}}
}

func imagesPart(ctx context.Context, actual, expected onnxtest.Graph) *locate.Finding {
	GinkgoHelper()
	found, err := locate.Divergence(ctx, imageSide("actual", actual), imageSide("expected", expected),
		visible())
	Expect(err).NotTo(HaveOccurred())
	return found
}

// rewritten is a random graph in two ways of writing it.
func rewritten(seed uint64) (random *rand.Rand, actual, expected onnxtest.Graph, how string) {
	random = rand.New(rand.NewPCG(seed, 77))
	actual = image(rand.New(rand.NewPCG(seed, 7)))
	expected = image(rand.New(rand.NewPCG(seed, 7)))
	for _, name := range slices.Sorted(maps.Keys(rewrites)) {
		switch random.IntN(3) {
		case 0:
			rewrites[name](random, &actual)
			how += name + " here, "
		case 1:
			rewrites[name](random, &expected)
			how += name + " there, "
		}
	}
	return random, actual, expected, how
}

var _ = Describe("Models whose names differ", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is never an alarm by itself", func(ctx SpecContext) {
		for seed := range uint64(12) {
			_, actual, expected, how := rewritten(seed)
			found := imagesPart(ctx, actual, expected)
			Expect(found.Verdict).To(Equal(compare.Pass), "seed %d: %s", seed, how)
			Expect(found.Fault).To(BeNil(), "seed %d: %s: %s", seed, how, found.Cause)
			Expect(found.First).To(BeNil(), "seed %d: %s: %s", seed, how, found.Cause)
		}
	})

	It("names the node at fault, a stretch with it, or none: never an innocent one",
		func(ctx SpecContext) {
			shown, exact := 0, 0
			seeds := []uint64{72, 93, 113, 140, 232, 332, 415} // that did once
			for seed := range uint64(40) {
				seeds = append(seeds, seed)
			}
			for _, seed := range seeds {
				random, actual, expected, how := rewritten(seed)
				kinds := slices.Sorted(maps.Keys(faults))
				kind := kinds[random.IntN(len(kinds))]
				at := faults[kind](random, &actual)
				if at < 0 {
					continue
				}
				found := imagesPart(ctx, actual, expected)
				if found.Verdict == compare.Pass {
					continue // the fault does not show
				}
				shown++
				if found.Fault == nil {
					continue
				}
				var nodes []int
				for _, n := range found.Fault.Nodes {
					nodes = append(nodes, n.Index)
				}
				Expect(nodes).To(ContainElement(at), "seed %d: %s of node %d, %s: %s", seed, kind, at, how,
					found.Cause)
				if len(nodes) == 1 {
					exact++
				}
			}
			Expect(shown).To(BeNumerically(">=", 25))
			Expect(exact).To(BeNumerically(">=", shown*65/100), fmt.Sprint(exact, " of ", shown))
		})

	It("are paired whatever their tensors are called, inputs and outputs too", func(ctx SpecContext) {
		actual, expected := image(rand.New(rand.NewPCG(5, 7))), image(rand.New(rand.NewPCG(5, 7)))
		random := rand.New(rand.NewPCG(1, 1))
		renamedGraph(random, &expected)
		expected.Inputs[0].Name, expected.Outputs[0].Name = "image", "logits"
		for i := range expected.Nodes {
			swapName(expected.Nodes[i].In, "x", "image")
			swapName(expected.Nodes[i].Out, "y", "logits")
		}
		at := wrongOperator(random, &actual)
		found := imagesPart(ctx, actual, expected)
		Expect(found.Fault).NotTo(BeNil(), found.Cause)
		Expect(found.Fault.Nodes).To(ConsistOf(locate.NodeName{Index: at, Name: actual.Nodes[at].Name,
			Op: actual.Nodes[at].Op}))
		Expect(found.Fault.Healed).To(BeTrue())
		Expect(found.Pairing.Paired).To(Equal(len(actual.Nodes)))
		Expect(found.Cause).To(And(ContainSubstring("its inputs agree, and when run alone"),
			HaveSuffix("with the expected side's values makes the outputs agree")))
		Expect(found.Notes).To(ContainElement(
			`output "y" is compared with "logits", the expected side's output at the same position`))
		Expect(found.Text()).To(ContainSubstring(fmt.Sprintf("paired %d of %d tensors",
			len(actual.Nodes), len(actual.Nodes))))
		text, err := json.Marshal(found)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
	})

	It("pair the results of a Reshape on both sides, whose shape is computed", func(ctx SpecContext) {
		build := func() onnxtest.Graph {
			g := network(2)
			g.Initializers = append(g.Initializers,
				onnxtest.Tensor{Name: "one", Type: 1, Dims: []int64{width, 1},
					Raw: onnxtest.Float32s(slices.Repeat([]float32{0.5}, width)...)},
				onnxtest.Tensor{Name: "first", Type: 7, Dims: []int64{1}, Raw: onnxtest.Int64s(0)})
			end := g.Nodes[len(g.Nodes)-1].Out
			g.Nodes[len(g.Nodes)-1].Out = []string{"rows"}
			g.Nodes = append(g.Nodes,
				onnxtest.Node{Op: "Shape", In: []string{"x"}, Out: []string{"sizes"}},
				onnxtest.Node{Op: "Gather", In: []string{"sizes", "first"}, Out: []string{"batch"}},
				onnxtest.Node{Op: "MatMul", In: []string{"rows", "one"}, Out: []string{"column"}},
				onnxtest.Node{Op: "Reshape", In: []string{"column", "batch"}, Out: []string{"flat"}},
				onnxtest.Node{Op: "Tanh", In: []string{"flat"}, Out: end})
			g.Outputs[0].Dims = []any{"batch"}
			return g
		}
		actual, expected := build(), build()
		identities(rand.New(rand.NewPCG(1, 1)), &actual) // so that not all tensors pair by name
		found, err := locate.Divergence(ctx, side("actual", actual), side("expected", expected), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.OnlyExpected).To(BeEmpty(), found.Text())
		for _, p := range found.Tensors {
			if p.Tensor == "flat" {
				Expect(p.Expected).To(BeEmpty(), "its namesake")
			}
		}
	})

	It("count the pairs that were dropped, and do not say that one side lacks their tensors", func() {
		found := locate.Finding{OnlyActual: []string{"a"}, OnlyExpected: []string{"a"},
			Pairing: &locate.Pairing{Dropped: []string{"a"}}}
		Expect(found.Text()).To(And(ContainSubstring("dropped 1 unconfirmed pair\n"),
			ContainSubstring("expected tensors without a counterpart, so not compared: a")))
		found.Pairing.Dropped = []string{"a", "b"}
		Expect(found.Text()).To(ContainSubstring("dropped 2 unconfirmed pairs\n"))
	})

	It("name a stretch where nothing inside it has a counterpart", func(ctx SpecContext) {
		actual, expected := image(rand.New(rand.NewPCG(5, 7))), image(rand.New(rand.NewPCG(5, 7)))
		renamedGraph(rand.New(rand.NewPCG(1, 1)), &expected)
		at := slices.IndexFunc(actual.Nodes, func(n onnxtest.Node) bool { return n.Name == "norm1" })
		insert(&actual, at, func(from, to string) []onnxtest.Node {
			return []onnxtest.Node{{Op: "Sigmoid", Name: "one", In: []string{from}, Out: []string{"mid"}},
				{Op: "Sin", Name: "another", In: []string{"mid"}, Out: []string{to}}}
		})
		found := imagesPart(ctx, actual, expected)
		Expect(accused(found)).To(Equal([]string{"one", "another"}), found.Cause)
		Expect(found.Cause).To(And(HavePrefix("the sides diverge between "),
			ContainSubstring("in one of 2 nodes"), ContainSubstring("which one is unknown")))
	})

	DescribeTable("name the node of what the other side has folded, by the constants",
		func(ctx SpecContext, wrong func(g *onnxtest.Graph), node, why string) {
			actual, expected := image(rand.New(rand.NewPCG(5, 7))), image(rand.New(rand.NewPCG(5, 7)))
			split(nil, &actual)
			folded(nil, &expected)
			wrong(&actual)
			found := imagesPart(ctx, actual, expected)
			Expect(found.Fault).NotTo(BeNil(), found.Cause)
			Expect(accused(found)).To(Equal([]string{node}), found.Cause)
			Expect(found.Fault.Why).To(HavePrefix(why))
			Expect(found.Cause).To(ContainSubstring(", because " + found.Fault.Why +
				" (the expected side has folded the nodes between these tensors into one)"))
			text, err := json.Marshal(found)
			Expect(err).NotTo(HaveOccurred())
			Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		},
		Entry("a weight", constant("w1", 1), "conv1", "its weights differ"),
		Entry("a weight off by a little", constant("w1", 0.02), "conv1", "its weights differ"),
		Entry("a channel's scale", constant("scale1", 0.3), "norm1", "its scale differs"),
		Entry("a channel's variance", constant("var1", 0.4), "norm1", "its scale differs"),
		Entry("a channel's shift", constant("shift1", 0.3), "norm1", "its offset differs"),
		Entry("a channel's mean", constant("mean1", 0.3), "norm1", "its offset differs"),
		Entry("an epsilon", func(g *onnxtest.Graph) {
			epsilon := float32(0.1)
			nodeOf(g, "norm1").Attrs = []onnxtest.Attr{{Name: "epsilon", Float: &epsilon}}
		}, "norm1", "its scale differs"),
		Entry("padding", func(g *onnxtest.Graph) {
			nodeOf(g, "conv1").Attrs = []onnxtest.Attr{ints("pads", 2, 1, 0, 1)}
		}, "conv1", "its attributes differ"),
		Entry("a weight of a MatMul against a Gemm", constant("wh", 1), "head", "its weights differ"),
		Entry("what stands for a Gemm's bias", constant("bh", 1), "head_bias", "its offset differs"),
	)

	It("name both of a folded pair where either could be it", func(ctx SpecContext) {
		biased := func() onnxtest.Graph {
			g := image(rand.New(rand.NewPCG(5, 7)))
			g.Initializers = append(g.Initializers, weights("cb1", rand.New(rand.NewPCG(8, 8)), 0.2,
				channels))
			nodeOf(&g, "conv1").In = append(nodeOf(&g, "conv1").In, "cb1")
			return g
		}
		actual, expected := biased(), biased()
		// The expected side folds the BatchNormalization, the Conv's bias first.
		bias := floats(initializer(&expected, "cb1").Raw)
		mean := floats(initializer(&expected, "mean1").Raw)
		for c := range mean {
			mean[c] -= bias[c]
		}
		initializer(&expected, "mean1").Raw = onnxtest.Float32s(mean...)
		nodeOf(&expected, "conv1").In = nodeOf(&expected, "conv1").In[:2]
		folded(nil, &expected)
		constant("cb1", 1)(&actual)
		found := imagesPart(ctx, actual, expected)
		Expect(accused(found)).To(ConsistOf("conv1", "norm1"), found.Cause)
	})

	It("say so where only the outputs are shared", func(ctx SpecContext) {
		expected := network(1)
		expected.Nodes = []onnxtest.Node{
			{Op: "Gemm", Name: "all", In: []string{"x", "w0", "b0"}, Out: []string{"sum"}},
			{Op: "Tanh", Name: "tanh", In: []string{"sum"}, Out: []string{"y"}}}
		actual := network(1)
		actual.Nodes = []onnxtest.Node{
			{Op: "Sin", Name: "other", In: []string{"x"}, Out: []string{"s"}},
			{Op: "Cos", Name: "way", In: []string{"s"}, Out: []string{"y"}}}
		found, err := locate.Divergence(ctx, side("actual", actual), side("expected", expected), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(Equal("the outputs differ, and no inner tensors could be compared, " +
			"because inner tensors of the two models could not be matched reliably (2 tensors in " +
			"actual, 2 in expected)"))
		Expect(found.Fault).To(BeNil())
	})
})

// constant moves one value of an initializer.
func constant(name string, by float32) func(*onnxtest.Graph) {
	return func(g *onnxtest.Graph) {
		t := initializer(g, name)
		values := slices.Clone(floats(t.Raw))
		values[1] += by
		t.Raw = onnxtest.Float32s(values...)
	}
}

func nodeOf(g *onnxtest.Graph, name string) *onnxtest.Node {
	for i := range g.Nodes {
		if g.Nodes[i].Name == name {
			return &g.Nodes[i]
		}
	}
	return nil
}

func swapName(names []string, from, to string) {
	for i := range names {
		if names[i] == from {
			names[i] = to
		}
	}
}
