package locate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// contains is the failure "the candidate has this node".
func contains(names ...string) locate.Fails {
	return func(_ context.Context, c *locate.Candidate) (bool, error) {
		nodes, err := c.Model.Nodes()
		if err != nil {
			return false, err
		}
		found := 0
		for _, n := range nodes {
			for _, name := range names {
				if n.Name == name {
					found++
				}
			}
		}
		return found == len(names), nil
	}
}

// differs is the failure that the sides differ.
func differs(ctx context.Context, actual, expected backends.Subject) locate.Fails {
	GinkgoHelper()
	fails, forget, err := locate.Differs(ctx, actual, expected, strict().Compare)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(forget)
	return fails
}

func names(nodes []loaders.Node) (list []string) {
	for _, n := range nodes {
		list = append(list, n.Name)
	}
	return list
}

var _ = Describe("Reduce", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("leaves an end of the model as it is, where that is asked for",
		func(ctx SpecContext, o locate.ReduceOptions, want ...string) {
			s := side("actual", network(2))
			reduced, err := locate.Reduce(ctx, s, contains("matmul1"), o)
			Expect(err).NotTo(HaveOccurred())
			Expect(names(reduced.Nodes)).To(Equal(want))
		},
		Entry("neither", locate.ReduceOptions{}, "matmul1"),
		Entry("its inputs", locate.ReduceOptions{KeepInputs: true}, "matmul0", "add0", "tanh0",
			"matmul1"),
		Entry("its outputs", locate.ReduceOptions{KeepOutputs: true, Linear: true}, "matmul1",
			"add1", "tanh1"),
	)

	It("leaves out what the failure does not need, also if it begins at the inputs", func(
		ctx SpecContext) {
		g := network(2) // the sigmoid and the output b are side branches
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Sigmoid", Name: "side", In: []string{"a0"},
			Out: []string{"b"}})
		g.Nodes[3], g.Nodes[6] = g.Nodes[6], g.Nodes[3]
		g.Nodes = append(g.Nodes[:6], g.Nodes[6])
		g.Outputs = append(g.Outputs, onnxtest.Value{Name: "b", Elem: 1, Dims: []any{"batch", width}})
		reduced, err := locate.Reduce(ctx, side("actual", g), contains("tanh0"),
			locate.ReduceOptions{KeepInputs: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"matmul0", "add0", "tanh0"}))
		outputs, err := reduced.Part.Model.Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(outputs).To(HaveLen(1))
		Expect(outputs[0].Name).To(Equal("t0"))
	})

	It("reduces a model without inputs", func(ctx SpecContext) {
		g := network(2)
		g.Inputs = nil
		g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: "x", Type: 1,
			Dims: []int64{1, width}, Raw: onnxtest.Float32s(make([]float32, width)...)})
		model := loaders.ONNXBytes("without", onnxtest.Model{Graph: g}.Bytes())
		reduced, err := locate.Reduce(ctx, backends.Subject{Engine: plain, Model: model,
			Inputs: fixtures.Random(model)}, contains("add1"), locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add1"}))
		Expect(reduced.Part.Model.Inputs()).To(HaveLen(1))
	})

	DescribeTable("finds the one wrong node among 300, in few runs",
		func(ctx SpecContext, plant func(*onnxtest.Graph), node string,
			linear bool, most int) {
			layers := 100
			if linear {
				layers = 10
			}
			faulty := network(layers)
			plant(&faulty)
			a, e := side("actual", faulty), side("expected", network(layers))
			reduced, err := locate.Reduce(ctx, a, differs(ctx, a, e),
				locate.ReduceOptions{Linear: linear, Recorder: e})
			Expect(err).NotTo(HaveOccurred())
			Expect(names(reduced.Nodes)).To(Equal([]string{node}))
			Expect(reduced.Before).To(Equal(3 * layers))
			Expect(reduced.Tried).To(BeNumerically("<=", most))
			Expect(reduced.Part.Model.Nodes()).To(HaveLen(1))
		},
		Entry("a changed weight", func(g *onnxtest.Graph) { g.Initializers[120].Raw[3] ^= 0x40 },
			"matmul60", false, 20),
		Entry("a swapped operator", func(g *onnxtest.Graph) { g.Nodes[31].Op = "Sub" },
			"add10", false, 20),
		Entry("in a graph that is not sorted", func(g *onnxtest.Graph) {
			g.Nodes[31].Op = "Sub"
			slices.Reverse(g.Nodes)
		}, "add10", false, 20),
		Entry("the first node", func(g *onnxtest.Graph) { g.Initializers[0].Raw[3] ^= 0x40 },
			"matmul0", false, 20),
		Entry("the last of 30, one by one", func(g *onnxtest.Graph) { g.Nodes[29].Op = "Softsign" },
			"tanh9", true, 31),
	)

	DescribeTable("declares types to an engine that wants them, learnt from the other side",
		func(ctx SpecContext, actualWants, expectedWants bool) {
			faulty := network(10)
			faulty.Nodes[13].Op = "Sub"
			a, e := side("actual", faulty), side("expected", network(10))
			if actualWants {
				a = typed(a)
			}
			if expectedWants {
				e = typed(e)
			}
			reduced, err := locate.Reduce(ctx, a, differs(ctx, a, e),
				locate.ReduceOptions{Recorder: e})
			Expect(err).NotTo(HaveOccurred())
			Expect(names(reduced.Nodes)).To(Equal([]string{"add4"}))
			if actualWants {
				outputs, err := reduced.Part.Model.Outputs()
				Expect(err).NotTo(HaveOccurred())
				Expect(outputs[0].Kind).To(Equal(loaders.Tensor), "its engine can read what is saved")
			}
		},
		Entry("the actual side's", true, false), Entry("the expected side's", false, true))

	DescribeTable("feeds a part the types of its own model, if the sides have different ones",
		func(ctx SpecContext, own, other int64) {
			of := func(elem int64, op string) backends.Subject {
				three := onnxtest.Tensor{Name: "three", Type: 1, Raw: onnxtest.Float32s(3)}
				if elem == 10 {
					three.Type, three.Raw = int32(elem), []byte{0, 0x42}
				}
				value := func(name string) []onnxtest.Value {
					return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{"batch", width}}}
				}
				return side("model", onnxtest.Graph{Inputs: value("x"), Outputs: value("y"),
					Initializers: []onnxtest.Tensor{three}, Nodes: []onnxtest.Node{
						cast("down", "x", "h", elem),
						{Op: "Neg", Name: "before", In: []string{"h"}, Out: []string{"n"}},
						{Op: op, Name: "scale", In: []string{"n", "three"}, Out: []string{"s"}},
						{Op: "Neg", Name: "after", In: []string{"s"}, Out: []string{"a"}},
						cast("up", "a", "y", 1)}})
			}
			a, e := of(own, "Add"), of(other, "Mul")
			fails, forget, err := locate.Differs(ctx, a, e, compare.Options{
				Checks: []compare.Check{compare.Within(1e-2, 1e-2, compare.Elementwise)}})
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(forget)
			reduced, err := locate.Reduce(ctx, a, fails, locate.ReduceOptions{Recorder: e,
				Progress: func(s locate.Step) { Expect(s.Err).NotTo(HaveOccurred()) }})
			Expect(err).NotTo(HaveOccurred())
			Expect(names(reduced.Nodes)).To(Equal([]string{"scale"}))
			part := reduced.Part
			_, err = ort.Run(ctx, part.Model, fixtures.Of(part.Inputs...))
			Expect(err).NotTo(HaveOccurred())
			n, _ := part.Inputs[0].Get("n")
			Expect(n.ElementType()).To(Equal(map[int64]tensor.ElementType{1: tensor.Float32,
				10: tensor.Float16}[own]))
			expected, err := part.Counterpart(e.Model.(*loaders.Model))
			Expect(err).NotTo(HaveOccurred())
			_, err = ort.Run(ctx, expected, fixtures.Of(part.Inputs...).Cast(expected))
			Expect(err).NotTo(HaveOccurred())
		},
		Entry("float16 against float32", int64(10), int64(1)),
		Entry("float32 against float16", int64(1), int64(10)))

	It("keeps every node that the failure needs, and no other between", func(ctx SpecContext) {
		s := side("model", network(5))
		reduced, err := locate.Reduce(ctx, s, contains("add1", "add3"),
			locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add1", "add3"}))
	})

	It("says so where the whole model does not fail", func(ctx SpecContext) {
		s := side("model", network(2))
		_, err := locate.Reduce(ctx, s, contains("nowhere"), locate.ReduceOptions{})
		Expect(err).To(MatchError("locate: the whole model does not fail, so there is nothing " +
			"to reduce"))
	})

	It("goes on where it was interrupted", func(ctx SpecContext) {
		s := side("model", network(20))
		kept := filepath.Join(GinkgoT().TempDir(), "verdicts.json")
		interrupted, cancel := context.WithCancel(ctx)
		judged := 0
		fails := func(ctx context.Context, c *locate.Candidate) (bool, error) {
			if judged++; judged == 5 {
				cancel()
				return false, context.Canceled
			}
			return contains("add7")(ctx, c)
		}
		_, err := locate.Reduce(interrupted, s, fails, locate.ReduceOptions{Verdicts: kept})
		Expect(err).To(MatchError(context.Canceled))

		known := 0
		reduced, err := locate.Reduce(ctx, s, fails, locate.ReduceOptions{Verdicts: kept,
			Progress: func(step locate.Step) {
				if step.Kept {
					known++
				}
			}})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add7"}))
		Expect(known).To(Equal(4))

		other := side("model", network(21))
		_, err = locate.Reduce(ctx, other, fails, locate.ReduceOptions{Verdicts: kept})
		isOther := MatchError(MatchRegexp(`are for a different model, inputs or way of judging ` +
			`\(".*"\); remove the file to start over$`))
		Expect(err).To(isOther)
		_, err = locate.Reduce(ctx, s, fails, locate.ReduceOptions{Verdicts: kept, Question: "why?"})
		Expect(err).To(isOther)
		fed := s
		fed.Inputs = fixtures.Random(s.Model, fixtures.Shape("x", 2, width))
		_, err = locate.Reduce(ctx, fed, fails, locate.ReduceOptions{Verdicts: kept})
		Expect(err).To(isOther)
		Expect(os.WriteFile(kept, []byte("{"), 0o600)).To(Succeed())
		_, err = locate.Reduce(ctx, s, fails, locate.ReduceOptions{Verdicts: kept})
		Expect(err).To(MatchError(ContainSubstring("is not a verdicts file of format 2")))
	})

	It("judges again, when it goes on, what could not be judged", func(ctx SpecContext) {
		s, kept := side("model", network(4)), filepath.Join(GinkgoT().TempDir(), "verdicts.json")
		missing := func(context.Context, *locate.Candidate) (bool, error) {
			return false, errors.New("no library")
		}
		_, err := locate.Reduce(ctx, s, missing, locate.ReduceOptions{Verdicts: kept})
		Expect(err).To(MatchError("locate: the whole model: no library"))
		cause, said := errors.New("no library"), ""
		_, err = locate.Reduce(ctx, s, func(context.Context, *locate.Candidate) (bool, error) {
			return false, fmt.Errorf("locate: a judge: %w", cause)
		}, locate.ReduceOptions{Progress: func(s locate.Step) { said = s.String() }})
		Expect(err).To(MatchError("locate: the whole model: a judge: no library"))
		Expect(err).To(MatchError(cause))
		Expect(said).To(HaveSuffix(" nodes: cannot be judged: a judge: no library"))
		reduced, err := locate.Reduce(ctx, s, contains("add2"), locate.ReduceOptions{Verdicts: kept})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add2"}))
	})

	It("takes a part that cannot be judged for one without the failure", func(ctx SpecContext) {
		s := side("model", network(4))
		fails := func(ctx context.Context, c *locate.Candidate) (bool, error) {
			if nodes, err := c.Model.Nodes(); err != nil || len(nodes) < 3 {
				return false, errors.New("too small for this engine")
			}
			return contains("add2")(ctx, c)
		}
		reduced, err := locate.Reduce(ctx, s, fails, locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(HaveLen(3))
		Expect(names(reduced.Nodes)).To(ContainElement("add2"))
	})

	It("asks a command, which sees the candidate as a file", func(ctx SpecContext) {
		s := side("model", network(6))
		file := filepath.Join(GinkgoT().TempDir(), "candidate.onnx")
		judge := &locate.JudgeCommand{File: file,
			Args: []string{"sh", "-c", "! grep -q add4 {} || ! test -s {inputs}"}}
		reduced, err := locate.Reduce(ctx, s, judge.Fails, locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add4"}))

		missing := &locate.JudgeCommand{Args: []string{"no-such-command-anywhere"}, File: file}
		_, err = locate.Reduce(ctx, s, missing.Fails, locate.ReduceOptions{})
		Expect(err).To(MatchError(ContainSubstring("no-such-command-anywhere")))
	})
})
