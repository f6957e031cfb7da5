package locate_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// checked holds files to ONNX's own checker, with shape inference.
func checked(python string, files ...string) {
	GinkgoHelper()
	const program = "import onnx, sys\n" +
		"for f in sys.argv[1:]:\n" +
		"    try: onnx.checker.check_model(f, full_check=True)\n" +
		"    except Exception as e: print(f, e)\n"
	said, err := exec.Command(python, append([]string{"-c", program}, files...)...).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(said))
	Expect(string(said)).To(BeEmpty())
}

var _ = Describe("what is written", func() {
	var python, folder string
	BeforeEach(func() {
		ort.Require(GinkgoT())
		python = pythontest.With(GinkgoT(), "onnx")
		folder = GinkgoT().TempDir()
	})

	subject := func(model *loaders.Model) backends.Subject {
		return backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model, fixtures.Seed(3))}
	}

	It("passes ONNX's checker with shape inference, wherever a model is cut", func(ctx SpecContext) {
		var files []string
		for _, path := range []string{
			"../example_test/digits/testdata/digits.onnx",
			"../example_test/digits-int8/testdata/digits_int8.onnx",
			"../example_test/dynamic/testdata/encoder.onnx",
			"../internal/cli/testdata/sklearn/forest.onnx",
			"../internal/cli/testdata/polygraphy/models/fp32_gemm.onnx",
		} {
			model := loaders.ONNX(path)
			nodes, err := model.Nodes()
			Expect(err).NotTo(HaveOccurred())
			for i := range 4 {
				from, to := nodes[len(nodes)*i/5], nodes[len(nodes)-1-len(nodes)*(3-i)/8]
				part, err := locate.Extract(ctx, subject(model), from.Outputs[:1], to.Outputs[:1])
				Expect(err).NotTo(HaveOccurred(), "%s from %v to %v", path, from.Outputs, to.Outputs)
				file := filepath.Join(folder, fmt.Sprintf("%d_%s", i, filepath.Base(path)))
				Expect(part.Save(file)).To(HaveLen(2))
				files = append(files, file)
			}
		}
		checked(python, files...)
	})

	It("passes it after a reduction", func(ctx SpecContext) {
		model := loaders.ONNX("../example_test/dynamic/testdata/encoder.onnx")
		softmax := func(_ context.Context, c *locate.Candidate) (bool, error) {
			nodes, err := c.Model.Nodes()
			for _, n := range nodes {
				if n.Op == "Softmax" {
					return true, err
				}
			}
			return false, err
		}
		reduced, err := locate.Reduce(ctx, subject(model), softmax, locate.ReduceOptions{Good: true})
		Expect(err).NotTo(HaveOccurred())
		file, good := filepath.Join(folder, "small.onnx"), filepath.Join(folder, "good.onnx")
		Expect(reduced.Part.Save(file)).To(HaveLen(2))
		Expect(reduced.Good.Save(good)).To(HaveLen(2))
		checked(python, file, good)
		Expect(reduced.Nodes).To(HaveLen(1))
		outputs, err := reduced.Part.Model.Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(outputs).To(HaveExactElements(HaveField("TypeName", "tensor(float)")))
		Expect(ort.Run(ctx, loaders.ONNX(file), fixtures.Load(file+".inputs.json"))).NotTo(BeNil())
	})

	It("keeps the dimensions that the model names", func(ctx SpecContext) {
		value := func(name string, dims ...any) onnxtest.Value {
			return onnxtest.Value{Name: name, Elem: 1, Dims: dims}
		}
		model := loaders.ONNXBytes("named.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Neg", Name: "a", In: []string{"x"}, Out: []string{"a"}},
				{Op: "Neg", Name: "b", In: []string{"a"}, Out: []string{"b"}},
				{Op: "Neg", Name: "y", In: []string{"b"}, Out: []string{"y"}}},
			Values:  []onnxtest.Value{value("a", "batch", 3), value("b", "batch", 3)},
			Inputs:  []onnxtest.Value{value("x", "batch", 3)},
			Outputs: []onnxtest.Value{value("y", "batch", 3)},
		}}.Bytes())
		part, err := locate.Extract(ctx, subject(model), []string{"a"}, []string{"b"})
		Expect(err).NotTo(HaveOccurred())
		texts := func(values []loaders.Value, err error) string {
			Expect(err).NotTo(HaveOccurred())
			var all []string
			for _, v := range values {
				all = append(all, v.String())
			}
			return strings.Join(all, "; ")
		}
		Expect(texts(part.Model.Inputs())).To(Equal("a tensor(float)[batch,3]"))
		Expect(texts(part.Model.Outputs())).To(Equal("b tensor(float)[batch,3]"))
		file := filepath.Join(folder, "named.onnx")
		Expect(part.Save(file)).To(HaveLen(2))
		checked(python, file)
	})

	It("has shapes where the model declares types alone", func(ctx SpecContext) {
		model := loaders.ONNXBytes("shapeless.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "ArrayFeatureExtractor", Domain: "ai.onnx.ml", Name: "a", In: []string{"x", "at"},
					Out: []string{"a"}},
				{Op: "Neg", Name: "y", In: []string{"a"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "at", Type: 7, Dims: []int64{1},
				Raw: onnxtest.Int64s(1)}},
			Values:  []onnxtest.Value{{Name: "a", Elem: 1}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", 3}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", 1}}},
		}, Opsets: map[string]int64{"": 19, "ai.onnx.ml": 3}}.Bytes())
		part, err := locate.Extract(ctx, subject(model), nil, []string{"a"})
		Expect(err).NotTo(HaveOccurred())
		marked, err := locate.Mark(ctx, subject(model), "a")
		Expect(err).NotTo(HaveOccurred())
		files := []string{filepath.Join(folder, "part.onnx"), filepath.Join(folder, "marked.onnx")}
		Expect(part.Save(files[0])).To(HaveLen(2))
		Expect(marked.Save(files[1])).To(Succeed())
		checked(python, files...)
	})
})
