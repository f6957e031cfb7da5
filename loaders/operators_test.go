package loaders_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("Operators", func() {
	It("are counted in the graph, in bodies and in functions", func() {
		body := onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Round", In: []string{"x"},
			Out: []string{"b"}}}, Outputs: []onnxtest.Value{{Name: "b"}}}
		model := loaders.ONNXBytes("m", onnxtest.Model{
			Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{
					{Op: "Round", In: []string{"x"}, Out: []string{"r"}},
					{Op: "If", In: []string{"c"}, Out: []string{"y"}, Attrs: []onnxtest.Attr{
						{Name: "then_branch", Graph: &body}, {Name: "else_branch", Graph: &body}}},
					{Op: "QGemm", Domain: "com.microsoft", In: []string{"y"}, Out: []string{"z"}},
				},
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
				Outputs: []onnxtest.Value{{Name: "z"}},
			},
			Functions: []onnxtest.Function{{Name: "f", Domain: "d", Nodes: []onnxtest.Node{
				{Op: "ArgMax", In: []string{"a"}, Out: []string{"i"}}}}},
		}.Bytes())
		Expect(model.Operators()).To(Equal(map[string]int{"Round": 3, "If": 1,
			"com.microsoft.QGemm": 1, "ArgMax": 1}))
		_, err := loaders.ONNXBytes("m", []byte{0xff}).Operators()
		Expect(err).To(MatchError(ContainSubstring("no protobuf field starts here")))
	})
})
