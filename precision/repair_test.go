package precision_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// within is what a user writes as --atol.
func within(atol float64) compare.Options {
	return compare.Options{Checks: []compare.Check{compare.Within(atol, 0, compare.Elementwise)}}
}

// repair repairs for FP16, on ONNX Runtime.
func repair(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, atol float64) (
	*precision.Repaired, error) {
	return precision.Repair{Format: precision.FP16, Rule: within(atol)}.Find(ctx,
		backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
}

const float = 1

// graph is a model of nodes over an input x and an output y of so many numbers.
func graph(size int, weights []onnxtest.Tensor, nodes ...onnxtest.Node) *loaders.Model {
	return graphOf(size, []string{"x"}, weights, nodes...)
}

// graphOf is like graph, but with other inputs.
func graphOf(size int, inputs []string, weights []onnxtest.Tensor, nodes ...onnxtest.Node) (
	m *loaders.Model) {
	dims := []any{1, size}
	g := onnxtest.Graph{Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: dims}},
		Initializers: weights, Nodes: nodes}
	for _, name := range inputs {
		g.Inputs = append(g.Inputs, onnxtest.Value{Name: name, Elem: float, Dims: dims})
	}
	return loaders.ONNXBytes("graph.onnx",
		onnxtest.Model{Opsets: map[string]int64{"": 13}, Graph: g}.Bytes())
}

func constant(name string, values ...float32) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: float, Dims: []int64{int64(len(values))},
		Raw: onnxtest.Float32s(values...)}
}

func node(op, name string, out string, in ...string) onnxtest.Node {
	return onnxtest.Node{Op: op, Name: name, In: in, Out: []string{out}}
}

// names are the nodes that compute and stay in float32.
func names(r *precision.Repaired) (list []string) {
	for _, k := range r.Keep {
		if !k.Follows {
			list = append(list, k.Node)
		}
	}
	return list
}

var _ = Describe("Repairing a model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("finds the smallest of all sets of nodes that pass",
		func(ctx SpecContext, atol float64) {
			model, inputs := digits(2)
			found, err := repair(ctx, model, inputs, atol)
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Report.Verdict).To(Equal(compare.Pass))
			Expect(found.Guided).To(BeNumerically("<=", found.Nodes+10))
			Expect(found.Of).To(Equal(6))
			candidates := found.Candidates()
			for set := range 1 << len(candidates) {
				var nodes []int
				for j, i := range candidates {
					if set>>j&1 == 1 {
						nodes = append(nodes, i)
					}
				}
				passes, err := found.Keeping(ctx, nodes...)
				Expect(err).NotTo(HaveOccurred())
				if passes {
					Expect(len(nodes)).To(BeNumerically(">=", found.Computing), "%v", nodes)
				}
			}
		},
		Entry("none", 1e-1), Entry("one", 1e-2), Entry("some", 5e-3), Entry("most", 2e-3),
		Entry("all", 2e-4),
	)

	It("says what stays, by name and in the order of the graph", func(ctx SpecContext) {
		model, inputs := digits(5)
		found, err := repair(ctx, model, inputs, 8e-3)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(Equal([]string{"conv1", "conv2"}))
		Expect(found.Keep).To(ContainElement(And(HaveField("Node", "relu1"),
			HaveField("Follows", true)))) // or it would be rounded between the two
	})

	It("writes a model with float16 inside, which passes ONNX's checker and the rule",
		func(ctx SpecContext) {
			model, inputs := digits(2)
			found, err := repair(ctx, model, inputs, 5e-3)
			Expect(err).NotTo(HaveOccurred())
			lowered, err := found.Lowered()
			Expect(err).NotTo(HaveOccurred())
			marked, err := lowered.Mark("features/rounding/float16", "logits")
			Expect(err).NotTo(HaveOccurred())
			outputs := run(ctx, ort.Engine(), marked, inputs)
			feature, _ := outputs.Outputs()[0].Get("features/rounding/float16")
			Expect(feature.ElementType()).To(Equal(tensor.Float16))
			report, err := compare.Runs(run(ctx, ort.Engine(), lowered, inputs).Outputs(),
				run(ctx, ort.Engine(), model, inputs).Outputs(), within(5e-3))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
			checked(lowered)
		})

	It("repairs a model with an input that no node reads", func(ctx SpecContext) {
		model := graphOf(2, []string{"unread", "x"}, []onnxtest.Tensor{constant("k", 1.0/3, 3)},
			node("Mul", "mul", "t", "x", "k"), node("Tanh", "tanh", "y", "t"))
		found, err := repair(ctx, model, fixtures.Random(model), 1e-9)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Report.Verdict).To(Equal(compare.Pass))
		Expect(found.Computing).To(BeNumerically(">", 0))
		lowered, err := found.Lowered()
		Expect(err).NotTo(HaveOccurred())
		Expect(lowered.Inputs()).To(HaveExactElements(HaveField("Name", "unread"),
			HaveField("Name", "x")))
	})

	It("keeps what overflows, on both sides of the tensor", func(ctx SpecContext) {
		model := graph(4, []onnxtest.Tensor{constant("up", 4096), constant("down", 1.0/4096)},
			node("Mul", "raise", "high", "x", "up"), node("Relu", "relu", "positive", "high"),
			node("Mul", "lower", "y", "positive", "down"))
		found, err := repair(ctx, model, values(20, 30, 17, 40), 1e-3)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(Equal([]string{"raise", "lower"}))
		Expect(found.Keep[0].Why).To(Equal(precision.Overflow))
		Expect(found.Keep[0].Error).To(BeEquivalentTo(-1))
		Expect(found.Keep[2].Why).To(Equal(precision.InputOverflow))
	})

	It("keeps weights that overflow or vanish where that shows", func(ctx SpecContext) {
		large := graph(4, []onnxtest.Tensor{constant("w", 1e5)},
			node("Div", "divide", "small", "x", "w"), node("Mul", "multiply", "y", "small", "w"))
		found, err := repair(ctx, large, values(1e4, 2e4, 3e4, 4e4), 20)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(ContainElements("divide", "multiply"))
		Expect(found.Keep[0].Why).To(Equal(precision.WeightOverflow))

		tiny := graph(4, []onnxtest.Tensor{constant("epsilon", 1e-9)},
			node("Sub", "zero", "nothing", "x", "x"), node("Add", "guard", "safe", "nothing", "epsilon"),
			node("Log", "log", "y", "safe"))
		found, err = repair(ctx, tiny, values(1, 2, 3, 4), 0.1)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(ContainElements("guard", "log"))
		Expect(found.Keep[0].Why).To(Equal(precision.WeightUnderflow))
	})

	It("keeps sums that overflow before they are divided", func(ctx SpecContext) {
		model := loaders.ONNXBytes("mean.onnx", onnxtest.Model{Opsets: map[string]int64{"": 13},
			Graph: onnxtest.Graph{
				Inputs:       []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{1, 1000}}},
				Outputs:      []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{1, 1}}},
				Initializers: []onnxtest.Tensor{constant("up", 300)},
				Nodes: []onnxtest.Node{node("Mul", "raise", "high", "x", "up"),
					{Op: "ReduceMean", Name: "mean", In: []string{"high"}, Out: []string{"y"},
						Attrs: []onnxtest.Attr{{Name: "axes", Ints: []int64{1}}}}},
			}}.Bytes())
		found, err := repair(ctx, model, fixtures.Random(model, fixtures.Seed(1)), 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(Equal([]string{"mean"}))
		Expect(found.Keep[0].Why).To(Equal(precision.SumOverflow))
	})

	It("leaves what overflows and does no harm", func(ctx SpecContext) {
		model := graph(4, []onnxtest.Tensor{constant("mask", 0, 0, -math.MaxFloat32, 0)},
			node("Add", "mask", "masked", "x", "mask"), node("Softmax", "softmax", "y", "masked"))
		found, err := repair(ctx, model, values(1, 2, 3, 4), 1e-2)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Keep).To(BeEmpty())
	})

	It("repairs for bfloat16 in the same way", func(ctx SpecContext) {
		model, inputs := digits(1)
		found, err := precision.Repair{Format: precision.BF16, Rule: within(4e-2)}.Find(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Computing).To(And(BeNumerically(">", 0), BeNumerically("<", 6)))
		lowered, err := found.Lowered()
		Expect(err).NotTo(HaveOccurred())
		report, err := compare.Runs(run(ctx, ort.Engine(), lowered, inputs).Outputs(),
			run(ctx, ort.Engine(), model, inputs).Outputs(), within(4e-2))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
		checked(lowered)
	})

	It("says what precision cannot repair", func(ctx SpecContext) {
		model, inputs := digits(1)
		_, err := repair(ctx, model, inputs, 1e-7)
		Expect(err).To(MatchError(precision.ErrBeyond))
		Expect(err).To(MatchError(ContainSubstring("the tolerance is tighter than float32's own error")))
		_, other := digits(1)
		subject := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: other}
		expected := run(ctx, ort.Engine(), model, fixtures.Random(model, fixtures.Seed(7),
			fixtures.Shape("image", 4, 1, 8, 8)))
		_, err = precision.Repair{Format: precision.FP16, Rule: within(1e-2),
			Expected: expected.Outputs()}.Find(ctx, subject)
		Expect(err).To(MatchError(precision.ErrBeyond))
		Expect(err).To(MatchError(ContainSubstring("the expected outputs may be of a different model")))
		_, err = precision.Repair{Format: precision.INT8, Rule: within(1e-2)}.Find(ctx, subject)
		Expect(err).To(MatchError(ContainSubstring(
			`the format "int8" cannot be searched node by node: expected precision.FP16 or precision.BF16`)))
	})

	It("is found for a model that does not run on every input", func(ctx SpecContext) {
		table := make([]float32, 200)
		for i := range table {
			table[i] = float32(i) / 7
		}
		model := loaders.ONNXBytes("lookup.onnx", onnxtest.Model{Opsets: map[string]int64{"": 13},
			Graph: onnxtest.Graph{
				Inputs:       []onnxtest.Value{{Name: "ids", Elem: 7, Dims: []any{4}}},
				Outputs:      []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{4}}},
				Initializers: []onnxtest.Tensor{constant("table", table...)},
				Nodes: []onnxtest.Node{node("Gather", "gather", "row", "table", "ids"),
					node("Sin", "sin", "y", "row")},
			}}.Bytes())
		found, err := repair(ctx, model, fixtures.Random(model, fixtures.ValRange(0, 210)), 1e-5)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Computing).To(BeNumerically(">", 0))
		Expect(found.Text()).To(ContainSubstring("not checked on other inputs: the original model does " +
			"not run on all of them; limit the range of the inputs: onnxruntime: "))
	})

	It("is judged in an engine that computes in the format, where one is", func(ctx SpecContext) {
		model, inputs := digits(2)
		found, err := precision.Repair{Format: precision.FP16, Rule: within(1e-2),
			Engine: wrongUnless{ort.Engine(), "classes", ""}}.Find(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(found)).To(ContainElement("classes"))

		_, err = precision.Repair{Format: precision.FP16, Rule: within(1e-2),
			Engine: wrongUnless{ort.Engine(), "no such node", ""}}.Find(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
		Expect(err).To(MatchError(precision.ErrBeyond))
		Expect(err).To(MatchError(ContainSubstring("with every node in float32, wrong does not pass")))
	})

	Describe("with a state", func() {
		It("goes on after it was killed, to the same answer", func(ctx SpecContext) {
			model, inputs := digits(2)
			subject := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
			whole, err := repair(ctx, model, inputs, 2e-3)
			Expect(err).NotTo(HaveOccurred())
			state := filepath.Join(GinkgoT().TempDir(), "state.json")
			stopped := 0
			var found *precision.Repaired
			for stop := 5; found == nil; stop++ {
				inner, cancel := context.WithCancel(ctx)
				lines := 0
				found, err = precision.Repair{Format: precision.FP16, Rule: within(2e-3), State: state,
					Progress: func(string) {
						if lines++; lines == stop {
							cancel()
						}
					}}.Find(inner, subject)
				cancel()
				if err != nil {
					Expect(err).To(MatchError(context.Canceled))
					stopped++
				}
			}
			Expect(stopped).To(BeNumerically(">", 0))
			Expect(found.Keep).To(Equal(whole.Keep))
			Expect(found.Runs).To(Equal(whole.Runs))
			Expect(found.Report.Verdict).To(Equal(compare.Pass))
		})

		It("measures nothing twice for another tolerance, and refuses other models",
			func(ctx SpecContext) {
				model, inputs := digits(2)
				state := filepath.Join(GinkgoT().TempDir(), "state.json")
				find := func(atol float64, m *loaders.Model, in fixtures.Inputs) (measured int, err error) {
					_, err = precision.Repair{Format: precision.FP16, Rule: within(atol), State: state,
						Progress: func(line string) {
							if len(line) > 8 && line[:8] == "measured" {
								measured++
							}
						}}.Find(ctx, backends.Subject{Engine: ort.Engine(), Model: m, Inputs: in})
					return measured, err
				}
				Expect(find(5e-3, model, inputs)).To(BeNumerically(">", 4))
				Expect(find(2e-3, model, inputs)).To(Equal(0))
				_, other := digits(1)
				_, err := find(2e-3, model, other)
				Expect(err).To(MatchError(ContainSubstring("state of a search with a different model, inputs")))
				Expect(os.WriteFile(state, []byte(`{"of":`), 0o600)).To(Succeed())
				_, err = find(2e-3, model, inputs)
				Expect(err).To(MatchError(ContainSubstring("is not the state of a search")))

				never := fake.Engine(fake.Error(errors.New("the model ran")))
				_, err = precision.Repair{Format: precision.FP16, Rule: within(2e-3), State: state}.Find(ctx,
					backends.Subject{Engine: never, Model: model, Inputs: inputs})
				Expect(err).To(MatchError(ContainSubstring("is not the state of a search")))
			})
	})
})

// values is inputs of one set.
func values(v ...float32) fixtures.Inputs {
	GinkgoHelper()
	x, err := tensor.New(tensor.Shape{1, len(v)}, v)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

// checked holds a model to ONNX's checker, with the inference of shapes and types.
func checked(m *loaders.Model) {
	GinkgoHelper()
	python := pythontest.With(GinkgoT(), "onnx")
	path := filepath.Join(GinkgoT().TempDir(), "model.onnx")
	Expect(m.Save(path)).To(Succeed())
	said, err := exec.Command(python, "-c", "import onnx, sys; "+
		"onnx.checker.check_model(sys.argv[1], full_check=True)", path).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(said))
}
