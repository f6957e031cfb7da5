package locate_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("Extract", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("cuts between tensors, with inputs that give the whole model's values", func(ctx SpecContext) {
		s := side("model", network(4))
		part, err := locate.Extract(ctx, s, []string{"t0"}, []string{"a2"})
		Expect(err).NotTo(HaveOccurred())
		file := filepath.Join(GinkgoT().TempDir(), "part.onnx")
		Expect(part.Save(file)).To(Equal([]string{file, file + ".inputs.json"}))

		saved := loaders.ONNX(file)
		nodes, err := saved.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(names(nodes)).To(Equal([]string{"matmul1", "add1", "tanh1", "matmul2", "add2"}))
		whole, err := s.Model.(*loaders.Model).Mark("a2")
		Expect(err).NotTo(HaveOccurred())
		run, err := ort.Run(ctx, whole, s.Inputs, ort.OptimizationLevel(ort.OptimizeNone))
		Expect(err).NotTo(HaveOccurred())
		expected, _ := run.Iterations()[0].Outputs.Get("a2")
		Expect(ort.Run(ctx, saved, fixtures.Load(file+".inputs.json"),
			ort.OptimizationLevel(ort.OptimizeNone))).To(HaveOutput("a2",
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(expected)))
	})

	It("keeps the model's own inputs", func(ctx SpecContext) {
		s := side("model", network(2))
		part, err := locate.Extract(ctx, s, []string{"x"}, []string{"a0"})
		Expect(err).NotTo(HaveOccurred())
		Expect(part.Model.Inputs()).To(HaveExactElements(HaveField("Name", "x")))
	})

	It("takes a name that is given twice for one", func(ctx SpecContext) {
		part, err := locate.Extract(ctx, side("model", network(3)), []string{"t0", "t0"},
			[]string{"a1", "a1"})
		Expect(err).NotTo(HaveOccurred())
		Expect(part.Model.Inputs()).To(HaveExactElements(HaveField("Name", "t0")))
		Expect(part.Model.Outputs()).To(HaveExactElements(HaveField("Name", "a1")))
	})

	It("declares an output that is named as an input, too", func(ctx SpecContext) {
		part, err := locate.Extract(ctx, side("model", network(2)), []string{"t0"}, []string{"t0"})
		Expect(err).NotTo(HaveOccurred())
		Expect(part.Model.Outputs()).To(HaveExactElements(And(HaveField("Name", "t0"+loaders.CutSuffix),
			HaveField("Kind", loaders.Tensor), HaveField("HasShape", true))))
	})

	It("does not begin at a sequence or an optional", func(ctx SpecContext) {
		dims := []any{"batch", width}
		for opset, begins := range map[int64]bool{17: false, 18: true} {
			model := loaders.ONNXBytes("wrapped", onnxtest.Model{Opsets: map[string]int64{"": opset},
				Graph: onnxtest.Graph{Nodes: []onnxtest.Node{
					{Op: "SequenceConstruct", In: []string{"x", "x"}, Out: []string{"s"}},
					{Op: "ConcatFromSequence", In: []string{"s"}, Out: []string{"c"},
						Attrs: []onnxtest.Attr{{Name: "axis", Int: new(int64)}}},
					{Op: "Optional", In: []string{"c"}, Out: []string{"o"}},
					{Op: "OptionalGetElement", In: []string{"o"}, Out: []string{"y"}}},
					Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
					Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}}}}.Bytes())
			s := backends.Subject{Engine: plain, Model: model, Inputs: fixtures.Random(model)}
			only := ContainSubstring("a part can begin only at tensors: name a tensor before or after it")
			_, err := locate.Extract(ctx, s, []string{"s"}, []string{"y"})
			Expect(err).To(MatchError(only))
			part, err := locate.Extract(ctx, s, nil, []string{"o"})
			Expect(err).NotTo(HaveOccurred())
			_, err = ort.Run(ctx, part.Model, s.Inputs)
			Expect(err).NotTo(HaveOccurred(), "it ends at an optional")
			part, err = locate.Extract(ctx, s, []string{"o"}, []string{"y"})
			if !begins {
				Expect(err).To(MatchError(only))
				continue
			}
			Expect(err).NotTo(HaveOccurred())
			_, err = ort.Run(ctx, part.Model, fixtures.Of(part.Inputs...))
			Expect(err).NotTo(HaveOccurred())
		}
	})

	It("refuses names that are not there, and nothing to compute", func(ctx SpecContext) {
		s := side("model", network(2))
		_, err := locate.Extract(ctx, s, []string{"q"}, []string{"y"})
		Expect(err).To(MatchError(ContainSubstring(`no tensor "q" to compute`)))
		_, err = locate.Extract(ctx, s, nil, []string{"q"})
		Expect(err).To(MatchError(ContainSubstring(`no tensor "q" to compute`)))
		_, err = locate.Extract(ctx, s, nil, nil)
		Expect(err).To(MatchError("locate: extract: name at least one tensor to compute"))
	})
})
