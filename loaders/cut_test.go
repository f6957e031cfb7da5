package loaders_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// chain is x → Relu a → Add(a, w) b → Neg c, and beside it x → Abs d. Its If reads a from outside.
func chain() onnxtest.Model {
	branch := onnxtest.Graph{Name: "branch",
		Nodes:   []onnxtest.Node{{Op: "Exp", In: []string{"a"}, Out: []string{"inner"}}},
		Outputs: []onnxtest.Value{{Name: "inner", Elem: 1}}}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"a"}},
			{Op: "Add", Name: "add", In: []string{"a", "w"}, Out: []string{"b"}},
			{Op: "Neg", Name: "neg", In: []string{"b"}, Out: []string{"c"}},
			{Op: "Abs", Name: "abs", In: []string{"x"}, Out: []string{"d"}},
			{Op: "If", Name: "if", In: []string{"flag"}, Out: []string{"e"}, Attrs: []onnxtest.Attr{
				{Name: "then_branch", Graph: &branch}, {Name: "else_branch", Graph: &branch}}},
		},
		Initializers: []onnxtest.Tensor{
			{Name: "w", Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(1, 2)},
			{Name: "unused", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}},
		Inputs: []onnxtest.Value{
			{Name: "x", Elem: 1, Dims: []any{"batch", 2}}, {Name: "flag", Elem: 9, Dims: []any{}}},
		Outputs: []onnxtest.Value{{Name: "c", Elem: 1, Dims: []any{"batch", 2}},
			{Name: "d", Elem: 1, Dims: []any{"batch", 2}}, {Name: "e", Elem: 1}},
		Values: []onnxtest.Value{{Name: "b", Elem: 1, Dims: []any{"batch", 2}}},
	}}
}

// given is a float tensor of two elements.
func given(name string) loaders.Value {
	return loaders.Value{Name: name, Type: tensor.Float32, HasShape: true,
		Dims: []loaders.Dim{{Size: 2}}}
}

// named is an output of which only the name is known.
func named(names ...string) (values []loaders.Value) {
	for _, name := range names {
		values = append(values, loaders.Value{Name: name, Kind: loaders.Untyped})
	}
	return values
}

func operators(m *loaders.Model) (ops []string) {
	nodes, err := m.Nodes()
	Expect(err).NotTo(HaveOccurred())
	for _, n := range nodes {
		ops = append(ops, n.Op)
	}
	return ops
}

func ends(m *loaders.Model) (inputs, outputs []string) {
	in, err := m.Inputs()
	Expect(err).NotTo(HaveOccurred())
	out, err := m.Outputs()
	Expect(err).NotTo(HaveOccurred())
	return lines(in), lines(out)
}

var _ = Describe("marking", func() {
	It("adds outputs behind the file's bytes, once each", func() {
		model := loaders.ONNXBytes("chain", chain().Bytes())
		marked, err := model.Mark("b", "c", "a", "b")
		Expect(err).NotTo(HaveOccurred())
		_, outputs := ends(marked)
		Expect(outputs).To(Equal([]string{"c tensor(float)[batch,2]", "d tensor(float)[batch,2]",
			"e tensor(float)", "b tensor(float)[batch,2]", "a untyped"}))
		data, err := marked.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(data)).To(HavePrefix(string(chain().Bytes())))
		Expect(len(data) - len(chain().Bytes())).To(BeNumerically("<", 60))
	})

	It("refuses a tensor that nothing makes, and one inside a body", func() {
		model := loaders.ONNXBytes("chain", chain().Bytes())
		_, err := model.Mark("q")
		Expect(err).To(MatchError(`loaders: model chain: no tensor "q" to mark`))
		_, err = model.Mark("inner")
		Expect(err).To(MatchError(`loaders: model chain: tensor "inner" is inside the body of If ` +
			`"if" and cannot leave it; mark that node's outputs: ["e"]`))
	})

	It("tells which tensors a body reads from around it", func() {
		nodes, err := loaders.ONNXBytes("chain", chain().Bytes()).Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(nodes[4].Captured).To(Equal([]string{"a"}))
	})
})

var _ = Describe("cutting", func() {
	It("keeps the nodes and initializers on the way, and what they declare", func() {
		model := loaders.ONNXBytes("chain", chain().Bytes())
		part, err := model.Cut([]loaders.Value{given("a"), given("d")}, named("c"))
		Expect(err).NotTo(HaveOccurred())
		Expect(operators(part)).To(Equal([]string{"Add", "Neg"}))
		inputs, outputs := ends(part)
		Expect(inputs).To(Equal([]string{"a tensor(float)[2]"}), "d is not on the way")
		Expect(outputs).To(Equal([]string{"c tensor(float)[batch,2]"}))
		initializers, err := part.Initializers()
		Expect(err).NotTo(HaveOccurred())
		Expect(initializers).To(HaveLen(1))
		Expect(part.Head()).To(HaveField("Opsets", Not(BeEmpty())))
	})

	It("keeps the model's own inputs that are needed besides", func() {
		part, err := loaders.ONNXBytes("chain", chain().Bytes()).Cut(nil, named("b", "d"))
		Expect(err).NotTo(HaveOccurred())
		inputs, outputs := ends(part)
		Expect(inputs).To(Equal([]string{"x tensor(float)[batch,2]"}))
		Expect(outputs).To(Equal([]string{"b tensor(float)[batch,2]", "d tensor(float)[batch,2]"}))
	})

	It("follows what a body reads from outside", func() {
		part, err := loaders.ONNXBytes("chain", chain().Bytes()).Cut(nil, named("e"))
		Expect(err).NotTo(HaveOccurred())
		Expect(operators(part)).To(Equal([]string{"Relu", "If"}))
	})

	It("lets every node run alone when every tensor is given", func() {
		all := []loaders.Value{given("x"), given("a"), given("b"), given("c")}
		part, err := loaders.ONNXBytes("chain", chain().Bytes()).Cut(all, named("a", "b", "c"))
		Expect(err).NotTo(HaveOccurred())
		nodes, err := part.Nodes()
		Expect(err).NotTo(HaveOccurred())
		for i, want := range []struct{ in, out string }{{"x", "a"}, {"a", "b"}, {"b", "c"}} {
			Expect(nodes[i].Inputs[0]).To(Equal(want.in))
			Expect(nodes[i].Outputs).To(Equal([]string{want.out + loaders.CutSuffix}))
		}
		_, outputs := ends(part)
		Expect(outputs).To(HaveExactElements("a/own untyped", "b/own tensor(float)[batch,2]",
			"c/own tensor(float)[batch,2]"))
	})

	DescribeTable("refuses what cannot be cut",
		func(inputs, outputs []loaders.Value, message string) {
			_, err := loaders.ONNXBytes("chain", chain().Bytes()).Cut(inputs, outputs)
			Expect(err).To(MatchError("loaders: model chain: cut: " + message))
		},
		Entry("an unknown output", nil, named("q"), `no tensor "q" to compute`),
		Entry("an unknown input", []loaders.Value{given("q")}, named("c"),
			`no tensor "q" to feed`),
		Entry("an input without a type", named("a"), named("c"),
			`"a" cannot be declared: it is not a tensor of a known type`),
		Entry("a given weight as output", []loaders.Value{given("w")}, named("w"),
			`"w" is given, and no node computes it`),
		Entry("no outputs", nil, nil, "no outputs were asked for"),
	)
})
