package loaders_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// selectable is the chain with a Constant in front, which nothing reads.
func selectable() *loaders.Model {
	m := onnxtest.Chain()
	m.Graph.Nodes = append([]onnxtest.Node{{Op: "Constant", Out: []string{"k"}}}, m.Graph.Nodes...)
	return loaders.ONNXBytes("chain", m.Bytes())
}

var _ = DescribeTable("selecting tensors",
	func(s loaders.Selection, want ...string) {
		Expect(selectable().Select(s)).To(Equal(want))
	},
	Entry("all, without constants", loaders.Selection{All: true}, "a", "b", "c", "d", "e"),
	Entry("by name, in graph order", loaders.Selection{Names: []string{"d", "a"}}, "a", "d"),
	Entry("by pattern", loaders.Selection{Names: []string{"[bc]"}}, "b", "c"),
	Entry("by operator", loaders.Selection{Ops: []string{"Relu", "If"}}, "a", "e"),
	Entry("by operator in another case", loaders.Selection{Ops: []string{"relu", "IF"}}, "a", "e"),
	Entry("by a pattern of operators", loaders.Selection{Ops: []string{"A*"}}, "b", "d"),
	Entry("by name or operator", loaders.Selection{Names: []string{"a"}, Ops: []string{"Abs"}},
		"a", "d"),
	Entry("but some", loaders.Selection{All: true, Except: []string{"[a-c]"}}, "d", "e"),
	Entry("but some operators", loaders.Selection{All: true, ExceptOps: []string{"If", "N*"}},
		"a", "b", "d"),
	Entry("a constant, by its exact name", loaders.Selection{Names: []string{"k"}}, "k"),
	Entry("no constant by a pattern", loaders.Selection{Names: []string{"k*", "a"}}, "a"),
	Entry("an input and a weight, by their exact names",
		loaders.Selection{Names: []string{"w", "x", "a"}}, "x", "w", "a"),
	Entry("no input by a pattern", loaders.Selection{Names: []string{"*"}}, "a", "b", "c", "d", "e"),
)

var _ = DescribeTable("marking what a selection means",
	func(s loaders.Selection, wanted, outputs []string) {
		marked, names, err := selectable().Marked(s)
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(Equal(wanted))
		var given []string
		values, err := marked.Outputs()
		Expect(err).NotTo(HaveOccurred())
		for _, v := range values {
			given = append(given, v.Name)
		}
		Expect(given).To(Equal(outputs))
	},
	Entry("nothing", loaders.Selection{}, nil, []string{"c", "d", "e"}),
	Entry("tensors", loaders.Selection{Names: []string{"a", "b"}}, []string{"a", "b"},
		[]string{"c", "d", "e", "a", "b"}),
	Entry("all but some", loaders.Selection{All: true, Except: []string{"[b-e]"}}, []string{"a"},
		[]string{"c", "d", "e", "a"}),
	Entry("the model's own outputs but some", loaders.Selection{Except: []string{"[de]"}},
		[]string{"c"}, []string{"c", "d", "e"}),
)

var _ = DescribeTable("selections that are refused",
	func(s loaders.Selection, want string) {
		_, err := selectable().Select(s)
		Expect(err).To(MatchError("loaders: model chain: " + want))
	},
	Entry("nothing said", loaders.Selection{},
		"the selection is empty; set All, or pass names or operators"),
	Entry("only exceptions", loaders.Selection{Except: []string{"a"}},
		"the selection is empty; set All, or pass names or operators"),
	Entry("an unknown name", loaders.Selection{All: true, Names: []string{"q"}},
		`no tensor "q" to mark; tensors inside the body of an If, Loop or Scan cannot become outputs`),
	Entry("an unknown exception", loaders.Selection{All: true, Except: []string{"q*"}},
		`no tensor "q*" to mark; tensors inside the body of an If, Loop or Scan cannot become outputs`),
	Entry("an unknown operator", loaders.Selection{Ops: []string{"Gemm"}},
		`no operator "Gemm" in the graph; it has Constant, Relu, Add, Neg, Abs, If`),
	Entry("a misspelt operator", loaders.Selection{All: true, ExceptOps: []string{"rellu"}},
		`no operator "rellu" in the graph; it has Constant, Relu, Add, Neg, Abs, If`),
	Entry("a name inside a body", loaders.Selection{Names: []string{"inner"}},
		`no tensor "inner" to mark; tensors inside the body of an If, Loop or Scan cannot become `+
			`outputs`),
	Entry("what only a body computes", loaders.Selection{Ops: []string{"Constant"}},
		"the graph has no nodes that compute tensors from its inputs, so there is nothing to mark as an "+
			"output"),
	Entry("nothing left", loaders.Selection{Names: []string{"a"}, Except: []string{"a"}},
		"every selected tensor is also excluded"),
)

var _ = Describe("selecting outputs", func() {
	two := func() *loaders.Model {
		m := onnxtest.Chain()
		m.Graph.Outputs = []onnxtest.Value{
			{Name: "a", Elem: 1, Dims: []any{1}}, {Name: "b", Elem: 1, Dims: []any{1}}}
		return loaders.ONNXBytes("chain", m.Bytes())
	}

	DescribeTable("leaves out what matches", func(except []string, want ...string) {
		_, wanted, err := two().Marked(loaders.Selection{Except: except})
		Expect(err).NotTo(HaveOccurred())
		Expect(wanted).To(Equal(want))
	},
		Entry("a name", []string{"a"}, "b"),
		Entry("a pattern", []string{"[b-z]"}, "a"), Entry("a tensor inside", []string{"c"}, "a", "b"),
	)

	It("refuses to leave none", func() {
		_, _, err := two().Marked(loaders.Selection{Except: []string{"a", "b*"}})
		Expect(err).To(MatchError("loaders: model chain: excluding a, b* leaves no outputs"))
	})
})
