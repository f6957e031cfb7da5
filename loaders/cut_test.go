package loaders_test

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

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
		model := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes())
		marked, err := model.Mark("b", "c", "a", "b")
		Expect(err).NotTo(HaveOccurred())
		_, outputs := ends(marked)
		Expect(outputs).To(Equal([]string{"c tensor(float)[batch,2]", "d tensor(float)[batch,2]",
			"e tensor(float)", "b tensor(float)[batch,2]", "a untyped"}))
		data, err := marked.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(data)).To(HavePrefix(string(onnxtest.Chain().Bytes())))
		Expect(len(data) - len(onnxtest.Chain().Bytes())).To(BeNumerically("<", 60))
	})

	It("refuses a tensor that nothing makes, and one inside a body", func() {
		model := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes())
		_, err := model.Mark("q")
		Expect(err).To(MatchError(HavePrefix(`loaders: model chain: no tensor "q" to mark`)))
		_, err = model.Mark("inner")
		Expect(err).To(MatchError(`loaders: model chain: no tensor "inner" to mark; tensors inside the ` +
			`body of an If, Loop or Scan cannot become outputs`))
	})

	It("tells which tensors a body reads from around it", func() {
		nodes, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(nodes[4].Captured).To(Equal([]string{"a"}))
	})
})

var _ = Describe("cutting", func() {
	It("keeps the nodes and initializers on the way, and what they declare", func() {
		model := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes())
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

	It("puts the graph before the opsets, since OpenVINO rejects a long list before it", func() {
		part, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Cut(nil, named("b"))
		Expect(err).NotTo(HaveOccurred())
		data, err := part.Bytes()
		Expect(err).NotTo(HaveOccurred())
		var fields []protowire.Number
		r := onnxwire.NewReader(bytes.NewReader(data))
		for f := range r.Fields(r.Whole()) {
			fields = append(fields, f.Number)
		}
		Expect(r.Err()).NotTo(HaveOccurred())
		Expect(fields[:2]).To(Equal([]protowire.Number{onnxwire.ModelIRVersion, onnxwire.ModelGraph}))
		Expect(fields[2:]).To(ContainElement(onnxwire.ModelOpset))
	})

	It("keeps the model's own inputs that are needed besides", func() {
		part, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Cut(nil, named("b", "d"))
		Expect(err).NotTo(HaveOccurred())
		inputs, outputs := ends(part)
		Expect(inputs).To(Equal([]string{"x tensor(float)[batch,2]"}))
		Expect(outputs).To(Equal([]string{"b tensor(float)[batch,2]", "d tensor(float)[batch,2]"}))
	})

	It("follows what a body reads from outside", func() {
		part, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Cut(nil, named("e"))
		Expect(err).NotTo(HaveOccurred())
		Expect(operators(part)).To(Equal([]string{"Relu", "If"}))
	})

	It("lets every node run alone when every tensor is given", func() {
		all := []loaders.Value{given("x"), given("a"), given("b"), given("c")}
		part, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Cut(all, named("a", "b", "c"))
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
			_, err := loaders.ONNXBytes("chain", onnxtest.Chain().Bytes()).Cut(inputs, outputs)
			Expect(err).To(MatchError("loaders: model chain: cut: " + message))
		},
		Entry("an unknown output", nil, named("q"), `the graph has no tensor "q" to compute `+
			"(tensors inside the body of an If, Loop or Scan are not part of it)"),
		Entry("an unknown input", []loaders.Value{given("q")}, named("c"),
			`the graph has no tensor "q" to use as an input`),
		Entry("an input without a type", named("a"), named("c"),
			`"a" cannot be an input or output: its type is unknown or not a tensor`),
		Entry("a given weight as output", []loaders.Value{given("w")}, named("w"),
			`"w" is a weight, so no node computes it`),
		Entry("no outputs", nil, nil, "no outputs were requested"),
	)
})
