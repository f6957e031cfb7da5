package lint_test

import (
	"bytes"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/lint"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// lintNode is a node called by its output.
func lintNode(op, out string, in ...string) onnxtest.Node {
	return onnxtest.Node{Op: op, Name: "n_" + out, In: in, Out: []string{out}}
}

// lintSubject is a model with an input x of two numbers and an output y, in ONNX Runtime.
func lintSubject(nodes ...onnxtest.Node) backends.Subject {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{2}}
	}
	model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{Nodes: nodes,
		Inputs: []onnxtest.Value{value("x"), value("extra")}, Outputs: []onnxtest.Value{value("y")},
		Initializers: []onnxtest.Tensor{{Name: "three", Type: 1, Dims: []int64{3},
			Raw: onnxtest.Float32s(1, 2, 3)}},
	}}.Bytes())
	return backends.Subject{Engine: ort.Engine(), Model: model, Inputs: fixtures.Random(model)}
}

var _ = Describe("A model that is looked over", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })
	look := func(ctx SpecContext, s backends.Subject) *lint.Report {
		GinkgoHelper()
		r, err := lint.Check(ctx, s)
		Expect(err).NotTo(HaveOccurred())
		return r
	}

	It("passes where it runs, and names what nothing needs", func(ctx SpecContext) {
		unnamed := lintNode("Neg", "spare", "a")
		unnamed.Name = ""
		r := look(ctx, lintSubject(lintNode("Relu", "a", "x"), unnamed, lintNode("Abs", "y", "a")))
		Expect(r.Valid()).To(BeTrue())
		Expect(r.Summary.Passing).To(Equal([]string{"n_a", "polygraphy_unnamed_node_1", "n_y"}))
		Expect(r.Summary.Failing).To(BeEmpty())
		Expect(r.Text()).To(Equal(`warning: input "extra" does not affect the outputs and can be ` +
			`removed (onnx_graphsurgeon)
warning: polygraphy_unnamed_node_1: it does not affect the outputs and can be removed ` +
			`(onnx_graphsurgeon)
PASSED: nodes: 3 passed, 0 failed; 2 findings
`))
	})

	It("does not blame the model for an engine that does not load", func(ctx SpecContext) {
		s := lintSubject(lintNode("Relu", "y", "x"))
		s.Engine = ort.Engine(ort.Library("/nowhere/libonnxruntime.so"))
		_, err := lint.Check(ctx, s)
		Expect(err).To(MatchError(ort.ErrNoLibrary))
	})

	It("names each node that fails by itself, and leaves out what depends on it", func(
		ctx SpecContext) {
		custom := lintNode("Frobnicate", "worse", "a")
		custom.Domain = "my.operators"
		r := look(ctx, lintSubject(lintNode("Relu", "a", "x"), lintNode("Add", "bad", "a", "three"),
			lintNode("Abs", "behind", "bad"), custom, lintNode("Neg", "fine", "a"),
			lintNode("Sum", "y", "behind", "worse")))
		Expect(r.Valid()).To(BeFalse(), r.Text())
		Expect(r.Summary.Passing).To(Equal([]string{"n_a", "n_fine"}), r.Text())
		Expect(r.Summary.Failing).To(Equal([]string{"n_bad"}), r.Text())
		var levels []lint.Level
		for _, e := range r.Entries {
			if e.Source == "onnxruntime" {
				levels = append(levels, e.Level)
			}
		}
		Expect(levels).To(Equal([]lint.Level{lint.Exception, lint.Warning}), r.Text())
		Expect(r.Text()).To(ContainSubstring("exception: n_bad: "))
		Expect(r.Headline()).To(HavePrefix("FAILED: nodes: 2 passed, 1 failed"))
	})

	DescribeTable("breaks ONNX's rules", func(ctx SpecContext, says string, nodes ...onnxtest.Node) {
		r := look(ctx, lintSubject(nodes...))
		Expect(r.Valid()).To(BeFalse())
		Expect(r.Text()).To(ContainSubstring("exception: " + says))
	},
		Entry("by two nodes of a name", `n_y: 2 nodes have this name, at the indices 0, 1`,
			onnxtest.Node{Op: "Relu", Name: "n_y", In: []string{"x"}, Out: []string{"a"}},
			lintNode("Abs", "y", "a")),
		Entry("by its order", `n_y: it reads "a", which a later node computes: sort the nodes with `+
			`modelparity surgeon sanitize --toposort`, lintNode("Abs", "y", "a"),
			lintNode("Relu", "a", "x")),
		Entry("by a tensor that is not there", `n_y: it reads "a", which no node, input or `+
			`weight defines`,
			lintNode("Abs", "y", "a")),
		Entry("by a tensor made twice",
			`n_y: it computes "y", but an output of n_y already has that name`,
			lintNode("Abs", "y", "x"), lintNode("Neg", "y", "x")),
		Entry("by an output that is not there", `no node computes the output "y"`,
			lintNode("Abs", "z", "x")),
	)

	DescribeTable("breaks ONNX's rules where it begins, and is reported all the same", func(
		ctx SpecContext, says string, change func(*onnxtest.Graph), edit func([]byte) []byte) {
		graph := onnxtest.Graph{Nodes: []onnxtest.Node{lintNode("Relu", "y", "x")},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{2}}}}
		change(&graph)
		model := loaders.ONNXBytes("net.onnx", edit(onnxtest.Model{Graph: graph}.Bytes()))
		r := look(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)})
		Expect(r.Valid()).To(BeFalse())
		Expect(r.Text()).To(ContainSubstring("exception: " + says + " (onnx_checker)"))
	},
		Entry("a graph without a name", "the graph has no name", func(*onnxtest.Graph) {},
			func(b []byte) []byte { // the name becomes the documentation
				return bytes.Replace(b, []byte("\x12\x01g"), []byte("\x52\x01g"), 1)
			}),
		Entry("an input that is declared twice", `two inputs are named "x"`,
			func(g *onnxtest.Graph) { g.Inputs = append(g.Inputs, g.Inputs[0]) }, bytes.Clone),
		Entry("an input without a name", "an input has no name", func(g *onnxtest.Graph) {
			g.Inputs = append(g.Inputs, onnxtest.Value{Elem: 1, Dims: []any{2}})
		}, bytes.Clone),
		Entry("an input without a type", `input "z" has no type`,
			func(g *onnxtest.Graph) { g.Inputs = append(g.Inputs, onnxtest.Value{Name: "z"}) },
			bytes.Clone),
		Entry("two weights of one name", `two weights are named "w"`, func(g *onnxtest.Graph) {
			w := onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(1, 2)}
			g.Initializers = append(g.Initializers, w, w)
		}, bytes.Clone),
	)

	DescribeTable("is valid with a warning where an operator is custom, as Polygraphy has it", func(
		ctx SpecContext, opsets map[string]int64, read string) {
		custom := lintNode("Frobnicate", "a", "x")
		custom.Domain = "my.operators"
		value := func(name string) []onnxtest.Value {
			return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{2}}}
		}
		model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Opsets: opsets, Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{custom, lintNode("Relu", "y", read)}, Inputs: value("x"),
			Outputs: value("y")}}.Bytes())
		r := look(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)})
		Expect(r.Valid()).To(BeTrue(), r.Text())
		Expect(r.Text()).To(HavePrefix("warning: n_a: "))
		Expect(r.Summary.Passing).NotTo(ContainElement("n_a"), "it did not run")
	},
		Entry("whose domain is imported", map[string]int64{"": 19, "my.operators": 1}, "a"),
		Entry("whose domain is not imported", map[string]int64{"": 19}, "a"),
		Entry("that no output needs", map[string]int64{"": 19}, "x"),
	)

	It("names no node that an output needs, whatever their order", func(ctx SpecContext) {
		r := look(ctx, lintSubject(lintNode("Abs", "y", "b"), lintNode("Neg", "b", "a"),
			lintNode("Sin", "spare", "b"), lintNode("Relu", "a", "x")))
		Expect(r.Text()).To(HaveSuffix(`
warning: input "extra" does not affect the outputs and can be removed (onnx_graphsurgeon)
warning: n_spare: it does not affect the outputs and can be removed (onnx_graphsurgeon)
` + r.Headline() + "\n"))
		Expect(r.Entries).To(HaveLen(4))
	})

	DescribeTable("is valid with a warning about an output", func(ctx SpecContext, says string,
		outputs ...onnxtest.Value) {
		model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{lintNode("Relu", "a", "x"), lintNode("Neg", "y", "a")},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, 3}}},
			Outputs: outputs}}.Bytes())
		r := look(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)})
		Expect(r.Text()).To(Equal("warning: " + says +
			"\nPASSED: nodes: 2 passed, 0 failed; 1 finding\n"))
	},
		Entry("whose size is wrong", `the declaration of output y tensor(float)[2,4] is wrong: `+
			`its shape is [2,3] (onnxruntime)`, onnxtest.Value{Name: "y", Elem: 1, Dims: []any{2, 4}}),
		Entry("whose rank is wrong", `the declaration of output y tensor(float)[n,3,1] is `+
			`wrong: its shape is [2,3] (onnxruntime)`,
			onnxtest.Value{Name: "y", Elem: 1, Dims: []any{"n", 3, 1}}),
		Entry("that is listed twice", `the graph lists the output "y" more than once: modelparity `+
			`cannot run such a model (onnx_graphsurgeon)`,
			onnxtest.Value{Name: "y", Elem: 1, Dims: []any{2, 3}},
			onnxtest.Value{Name: "y", Elem: 1, Dims: []any{2, 3}}),
	)

	DescribeTable("is valid with a warning about a tensor inside the graph", func(ctx SpecContext,
		says string, values ...onnxtest.Value) {
		model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{lintNode("Relu", "a", "x"), lintNode("Neg", "b", "a"),
				lintNode("Abs", "y", "b")},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n", 3}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"n", 3}}},
			Values:  values}}.Bytes())
		r := look(ctx, backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)})
		Expect(r.Text()).To(MatchRegexp("^" + says +
			"PASSED: nodes: 3 passed, 0 failed; [01] findings?\n$"))
	},
		Entry("whose size is wrong", `warning: the declaration of b tensor\(float\)\[n,4\] is wrong: `+
			`ONNX Runtime infers b tensor\(float\)\[n,3\] \(onnxruntime\)\n`,
			onnxtest.Value{Name: "a", Elem: 1, Dims: []any{"m", 3}},
			onnxtest.Value{Name: "b", Elem: 1, Dims: []any{"n", 4}}),
		Entry("whose rank is wrong", `warning: the declaration of a tensor\(float\)\[3\] is wrong: `+
			`ONNX Runtime infers a tensor\(float\)\[n,3\] \(onnxruntime\)\n`,
			onnxtest.Value{Name: "a", Elem: 1, Dims: []any{3}}),
		Entry("only if it is wrong", "", onnxtest.Value{Name: "a", Elem: 1, Dims: []any{7, "k"}}),
	)

	It("does not read, or is empty", func(ctx SpecContext) {
		s := lintSubject()
		s.Model = loaders.ONNXBytes("damaged.onnx", []byte{0x3a, 0xff})
		s.Inputs = fixtures.Of()
		r := look(ctx, s)
		Expect(r.Valid()).To(BeFalse())
		Expect(r.Entries[0].Source).To(Equal(lint.Loader))
		Expect(look(ctx, lintSubject()).Text()).To(ContainSubstring("warning: the model has no nodes"))
		s.Model = loaders.ONNX("missing.onnx")
		_, err := lint.Check(ctx, s)
		Expect(err).To(MatchError(ContainSubstring("missing.onnx")))
	})

	It("is reported with Polygraphy's keys", func(ctx SpecContext) {
		text, err := json.Marshal(look(ctx, lintSubject(lintNode("Relu", "y", "x"))))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(Equal(`{"summary":{"passing":["n_y"],"failing":[]},` +
			`"lint_entries":[{"level":"warning","source":"onnx_graphsurgeon","message":` +
			`"input \"extra\" does not affect the outputs and can be removed"}]}`))
	})
})
