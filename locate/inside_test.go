package locate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// bodied is x → MatMul h → If, Loop or Scan s → Neg y. The tensors around the body have the prefix
// in their names, and fault changes the body.
func bodied(op, prefix string, fault func(*onnxtest.Graph)) onnxtest.Graph {
	d := &drawn{onnxtest.Graph{Name: op,
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", width}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1}}}, rand.New(rand.NewPCG(1, 2))}
	d.weight("w", 0, 0.4, width, width)
	d.weight("inner", 0, 0.4, width, width)
	constant := func(name string, elem int32, raw []byte, dims ...int64) string {
		d.Initializers = append(d.Initializers,
			onnxtest.Tensor{Name: name, Type: elem, Dims: dims, Raw: raw})
		return name
	}
	constant("low", 1, onnxtest.Float32s(-1e9))
	constant("most", 1, onnxtest.Float32s(10))
	h := d.node("MatMul", prefix+"first", []string{"x", "w"})
	in, body := &drawn{Rand: d.Rand}, "body"
	out := func(name, from string) {
		in.Nodes = append(in.Nodes, onnxtest.Node{Op: "Identity", Name: name + "_made",
			In: []string{from}, Out: []string{name}})
		in.Outputs = append(in.Outputs, onnxtest.Value{Name: name, Elem: 1})
	}
	n := onnxtest.Node{Op: op, Name: "control", Out: []string{prefix + "s"}}
	switch op {
	case "If":
		total := d.node("ReduceSum", prefix+"total", []string{"x"}, integer("keepdims", 0))
		n.In = []string{d.node("Greater", prefix+"flag", []string{total, "low"})}
		t := in.node("MatMul", "product", []string{h, "inner"})
		t = in.node("Tanh", "bend", []string{t})
		out("result", in.node("Add", "sum", []string{t, "x"}))
		other := onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Exp", In: []string{h},
			Out: []string{"other"}}}, Outputs: []onnxtest.Value{{Name: "other", Elem: 1}}}
		n.Attrs, body = []onnxtest.Attr{{Name: "else_branch", Graph: &other}}, "then_branch"
	case "Loop":
		n.In = []string{constant("trips", 7, onnxtest.Int64s(6)), "", h}
		n.Out = append(n.Out, prefix+"all")
		in.Inputs = []onnxtest.Value{{Name: "i", Elem: 7, Dims: []any{}},
			{Name: "go_on", Elem: 9, Dims: []any{}}, {Name: "state"}}
		in.Nodes = append(in.Nodes, onnxtest.Node{Op: "Identity", In: []string{"go_on"},
			Out: []string{"still"}})
		in.Outputs = []onnxtest.Value{{Name: "still", Elem: 9}}
		t := in.node("MatMul", "product", []string{"state", "inner"})
		t = in.node("Tanh", "bend", []string{t})
		count := in.node("Cast", "count", []string{"i"}, integer("to", 1))
		count = in.node("Min", "bounded", []string{count, "most"})
		t = in.node("Add", "sum", []string{t, h})
		out("next", in.node("Add", "counted", []string{t, count}))
		out("seen", t)
	case "Scan":
		zeros := d.node("Mul", prefix+"zeros", []string{"x", constant("zero", 1, onnxtest.Float32s(0))})
		start := d.node("ReduceSum", prefix+"start", []string{zeros, constant("axis", 7,
			onnxtest.Int64s(1), 1)}, integer("keepdims", 0))
		n.In, n.Out = []string{start, h}, []string{prefix + "last", prefix + "s"}
		n.Attrs = []onnxtest.Attr{integer("num_scan_inputs", 1), ints("scan_input_axes", -1),
			ints("scan_input_directions", 1)}
		in.Inputs = []onnxtest.Value{{Name: "state"}, {Name: "slice"}}
		t := in.node("Tanh", "bend", []string{"state"})
		t = in.node("Add", "sum", []string{t, "slice"})
		bounded := in.node("Min", "bounded", []string{t, "most"})
		out("next", in.node("Sub", "counted", []string{bounded, "slice"}))
		out("seen", t)
	}
	if fault != nil {
		fault(&in.Graph)
	}
	n.Attrs = append(n.Attrs, onnxtest.Attr{Name: body, Graph: &in.Graph})
	d.Nodes = append(d.Nodes, n, onnxtest.Node{Op: "Neg", Name: "last", In: []string{prefix + "s"},
		Out: []string{"y"}})
	return d.Graph
}

// inner changes the operator of a node inside, or what it reads.
func inner(node, op string, in ...string) func(*onnxtest.Graph) {
	return func(g *onnxtest.Graph) {
		n := &g.Nodes[slices.IndexFunc(g.Nodes, func(n onnxtest.Node) bool { return n.Name == node })]
		n.Op = op
		if in != nil {
			n.In = in
		}
	}
}

var _ = Describe("A fault in the body of an If, Loop or Scan", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is not there if a Loop's trip count differs", func(ctx SpecContext) {
		g := bodied("Loop", "", nil)
		initializer(&g, "trips").Raw = onnxtest.Int64s(7)
		for _, prefix := range []string{"", "other_"} {
			found, err := locate.Divergence(ctx, side("actual", g),
				side("expected", bodied("Loop", prefix, nil)), strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Cause).To(HaveSuffix("; the Loop's trip count is 7, expected 6"))
			Expect(found.Text()).NotTo(MatchRegexp(`(?m)^in its body`), "no tensor differs in the body")
		}
	})

	It("is in a function that the models define differently", func(ctx SpecContext) {
		calling := func(op string) backends.Subject {
			g := network(2)
			g.Nodes[2].Op, g.Nodes[2].Domain = "Bend", "own"
			s := side("net", g)
			s.Model = loaders.ONNXBytes("net", onnxtest.Model{Graph: g,
				Opsets: map[string]int64{"": 19, "own": 1},
				Functions: []onnxtest.Function{{Name: "Bend", Domain: "own", In: []string{"a"},
					Out: []string{"b"}, Nodes: []onnxtest.Node{
						{Op: op, In: []string{"a"}, Out: []string{"b"}}}}}}.Bytes())
			return s
		}
		found, err := locate.Divergence(ctx, calling("Sigmoid"), calling("Tanh"), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Isolated.Tensor).To(Equal("t0"))
		Expect(found.Cause).To(HaveSuffix(`; the two models define these functions differently: ` +
			`"own.Bend"`))
	})

	DescribeTable("is named inside the body",
		func(ctx SpecContext, op, where, node string, fault func(*onnxtest.Graph)) {
			for _, prefix := range []string{"", "other_"} { // prefix of the expected side's tensors
				found, err := locate.Divergence(ctx, side("actual", bodied(op, "", fault)),
					side("expected", bodied(op, prefix, nil)), strict())
				Expect(err).NotTo(HaveOccurred())
				Expect(found.Isolated).To(HaveField("Node", "control"), found.Text())
				Expect(found.Inside).NotTo(BeNil(), found.Text())
				Expect(accused(found.Inside)).To(Equal([]string{node}), found.Text())
				Expect(found.Cause).To(MatchRegexp(`"control" .*; in its %s, .*%q`, where, node))
				Expect(found.Text()).To(MatchRegexp("\nin its " + where + ":\n .*node .*tensor"))
				Expect(found.Text()).NotTo(ContainSubstring("not judged"))
				text, err := json.Marshal(found)
				Expect(err).NotTo(HaveOccurred())
				Expect(reportschema.Validate(text)).To(Succeed(), string(text))
			}
		},
		Entry("an operator of an If", "If", "then_branch", "bend", inner("bend", "Sigmoid")),
		Entry("a wire of an If", "If", "then_branch", "sum",
			inner("sum", "Add", "bend_out", "first_out")),
		Entry("an operator of a Loop", "Loop", `body, in iteration \d \(counted from 0 to 5\)`, "bend",
			inner("bend", "Sigmoid")),
		Entry("a wire of a Loop", "Loop", `body, in iteration \d \(counted from 0 to 5\)`, "product",
			inner("product", "MatMul", "first_out", "inner")),
		Entry("one that shows in a Loop's last iterations", "Loop",
			`body, in iteration 5 \(counted from 0 to 5\)`, "bounded", func(g *onnxtest.Graph) {
				g.Initializers = []onnxtest.Tensor{{Name: "least", Type: 1, Raw: onnxtest.Float32s(3)}}
				inner("bounded", "Min", "count_out", "least")(g)
			}),
		Entry("an operator of a Scan", "Scan", `body, in iteration \d \(counted from 0 to 7\)`, "bend",
			inner("bend", "Sigmoid")),
		Entry("a wire of a Scan", "Scan", `body, in iteration \d \(counted from 0 to 7\)`, "counted",
			inner("counted", "Sub", "bounded_out", "state")),
	)

	It("is named in a body within a body", func(ctx SpecContext) {
		nested := func(op string) func(*onnxtest.Graph) {
			return func(g *onnxtest.Graph) {
				branch := func(op, name string) onnxtest.Attr {
					return onnxtest.Attr{Name: name + "_branch", Graph: &onnxtest.Graph{
						Nodes: []onnxtest.Node{{Op: op, Name: name, In: []string{"product_out"},
							Out: []string{name + "_out"}}},
						Outputs: []onnxtest.Value{{Name: name + "_out", Elem: 1}}}}
				}
				n := &g.Nodes[slices.IndexFunc(g.Nodes, func(n onnxtest.Node) bool { return n.Name == "bend" })]
				n.Op, n.In = "If", []string{"go_on"}
				n.Attrs = []onnxtest.Attr{branch(op, "then"), branch("Exp", "else")}
			}
		}
		found, err := locate.Divergence(ctx, side("actual", bodied("Loop", "", nested("Sigmoid"))),
			side("expected", bodied("Loop", "", nested("Tanh"))), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(MatchRegexp(`Loop "control" .*; in its body, .* If "bend" .*; ` +
			`in its then_branch, .* Sigmoid "then" \(node 0; Tanh on the expected side\)`))
		Expect(accused(found.Inside.Inside)).To(Equal([]string{"then"}))
	})

	It("is said to be in the node if its body cannot run as a model", func(ctx SpecContext) {
		refuse := func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			inputs, err := m.Inputs()
			if slices.ContainsFunc(inputs, func(v loaders.Value) bool { return v.Name == "state" }) {
				err = errors.New("no bodies")
			}
			if err != nil {
				return nil, err
			}
			return plain.Open(ctx, m, in)
		}
		found, err := locate.Divergence(ctx, side("actual", bodied("Loop", "", inner("bend", "Sigmoid"))),
			by(side("expected", bodied("Loop", "", nil)), refuse), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Isolated.Node).To(Equal("control"))
		Expect(found.Inside).To(BeNil())
		Expect(found.Notes).To(ContainElement(
			`the body of Loop "control" (node 1) was not searched: no bodies`))
	})
})
