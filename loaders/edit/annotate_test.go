package edit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

var _ = Describe("annotating a model", func() {
	model := func() *loaders.Model {
		value := []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2}}}
		return loaders.ONNXBytes("m.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Neg", Name: "first", In: []string{"x"}, Out: []string{"a"}},
				{Op: "Neg", Name: "second", In: []string{"a"}, Out: []string{"y"}}},
			Inputs: value, Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{2}}},
		}}.Bytes())
	}

	It("changes the bytes of those nodes alone that it is told of", func() {
		same, err := edit.Annotate(model(), func(loaders.Node) (edit.Annotation, bool) {
			return edit.Annotation{}, false
		})
		Expect(err).NotTo(HaveOccurred())
		before, err := model().Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(same.Bytes()).To(Equal(before))

		var seen []string
		noted, err := edit.Annotate(model(), func(n loaders.Node) (edit.Annotation, bool) {
			seen = append(seen, n.Name)
			return edit.Annotation{Text: "a remark", Entries: [][2]string{{"key", "value"}}},
				n.Name == "second"
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(seen).To(HaveExactElements("first", "second"))
		after, err := noted.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(ContainSubstring("a remark"))
		written := len("a remark") + len("key") + len("value")
		Expect(len(after)).To(BeNumerically("<=", len(before)+written+20), "the rest is as it was")
		nodes, err := noted.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(nodes).To(Equal(must(model().Nodes())))
	})
})
