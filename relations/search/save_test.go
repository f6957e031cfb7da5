package search_test

import (
	"go/parser"
	"go/token"
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
	change "github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/relations/search"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the result of a search", func() {
	It("is saved as inputs, corpus and a test, and replays byte for byte", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
		planted, err := change.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
			if c.Name != "conv1.weight" {
				return nil, nil
			}
			values, err := tensor.Values[float32](c.Values)
			if err != nil {
				return nil, err
			}
			other := slices.Clone(values)
			other[4] += 0.5
			return tensor.New(c.Values.Shape(), other)
		})
		Expect(err).NotTo(HaveOccurred())
		folder := GinkgoT().TempDir()
		path := filepath.Join(folder, "planted.onnx")
		Expect(planted.Save(path)).To(Succeed())
		side := func(m *loaders.Model) backends.Subject {
			return backends.Subject{Engine: ort.Engine(), Model: m,
				Inputs: fixtures.Random(model)}
		}
		a, e := side(loaders.ONNX(path)), side(model)
		f, err := search.Between(ctx, a, e, search.Options{Rule: rule, Trials: 500})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeTrue())
		files, err := f.Save(filepath.Join(folder, "found"), a, e, rule)
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(Equal(search.Files(filepath.Join(folder, "found"))))

		source, err := os.ReadFile(files[2])
		Expect(err).NotTo(HaveOccurred())
		Expect(string(source)).To(And(ContainSubstring(`loaders.ONNX("../planted.onnx")`),
			ContainSubstring("MatchOutputsWithin(1e-05, 1e-05, Elementwise)"),
			ContainSubstring("ort.Engine()")))
		_, err = parser.ParseFile(token.NewFileSet(), files[2], source, parser.AllErrors)
		Expect(err).NotTo(HaveOccurred())
		for again, err := range fixtures.Load(files[0]).All() {
			Expect(err).NotTo(HaveOccurred())
			data, err := search.Encode(model, again)
			Expect(err).NotTo(HaveOccurred())
			corpus, err := os.ReadFile(files[1])
			Expect(err).NotTo(HaveOccurred())
			Expect(corpus).To(Equal(search.CorpusFile(data)))
			decoded, err := search.Decode(model, data)
			Expect(err).NotTo(HaveOccurred())
			image, _ := decoded.Get("image")
			found, _ := f.Inputs.Get("image")
			Expect(image.Bytes()).To(Equal(found.Bytes()))
		}
		_, err = (&search.Found{}).Save(folder, a, e, rule)
		Expect(err).To(MatchError(ContainSubstring("nothing was found")))
		_, err = f.Save(filepath.Join(folder, "unnamed"), side(planted), e, rule)
		Expect(err).To(MatchError(ContainSubstring("was not read from an ONNX file")))
		files, err = f.Save(folder, a, e, compare.Options{Checks: []compare.Check{compare.L2(1)}})
		Expect(err).NotTo(HaveOccurred())
		Expect(os.ReadFile(files[2])).To(ContainSubstring("MatchOutputs(compare.L2(1))"))
	})

	It("counts only differences beyond rounding, with noise", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
		side := func(options ...ort.Option) backends.Subject {
			return backends.Subject{Engine: ort.Engine(options...), Model: model,
				Inputs: fixtures.Random(model)}
		}
		exact := compare.Options{Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}}
		a, e := side(ort.OptimizationLevel(ort.OptimizeNone)), side()
		bits, err := search.Between(ctx, a, e, search.Options{Rule: exact, Trials: 3, Sizes: []int{1}})
		Expect(err).NotTo(HaveOccurred())
		noise, err := search.Between(ctx, a, e, search.Options{Rule: exact, Trials: 3,
			Sizes: []int{1}, Noise: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(noise.Parts()).To(BeFalse(), noise.Text())
		if bits.Parts() { // this processor's kernels round in another order
			Expect(noise.Rounding).To(BeNumerically(">", 0))
			Expect(noise.Text()).To(ContainSubstring("rounding explains the difference on "))
		}
	})

	It("takes a model of which no node rounds for exact, with noise", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		side := func(op string) backends.Subject {
			model := loaders.ONNXBytes(op+".onnx", onnxtest.Model{Graph: onnxtest.Graph{
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{8}}},
				Nodes:   []onnxtest.Node{{Op: op, In: []string{"x"}, Out: []string{"y"}}},
				Outputs: []onnxtest.Value{{Name: "y"}}}}.Bytes())
			return backends.Subject{Engine: ort.Engine(), Model: model, Inputs: fixtures.Random(model)}
		}
		o := search.Options{Rule: compare.Options{Checks: []compare.Check{
			compare.Within(0, 0, compare.Elementwise)}}, Trials: 8, Noise: true}
		found, err := search.Between(ctx, side("Abs"), side("Relu"), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Parts()).To(BeTrue(), found.Text())
		found, err = search.Between(ctx, side("Relu"), side("Relu"), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Parts()).To(BeFalse(), found.Text())
	})
})
