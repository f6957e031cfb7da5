package plots_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/report/plots"
)

// data is node data as Model Explorer reads it.
type data struct {
	Name    string
	Results map[string]struct {
		Value              any
		BgColor, TextColor string
	}
}

func nodeData(f *locate.Finding) data {
	GinkgoHelper()
	var texts [2][]byte
	for i := range texts {
		path := filepath.Join(GinkgoT().TempDir(), "overlay.json")
		Expect(plots.SaveOverlay(f, nil, path, "")).To(Succeed())
		var err error
		texts[i], err = os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(texts[1]).To(Equal(texts[0]))
	var d data
	Expect(json.Unmarshal(texts[0], &d)).To(Succeed())
	return d
}

var _ = Describe("node data for Model Explorer", func() {
	It("has the error and a colour of every tensor that was compared, under both names", func() {
		d := nodeData(&locate.Finding{Tensors: []locate.Point{
			{Tensor: "a", Verdict: compare.Pass, Error: 0},
			{Tensor: "b", Expected: "b2", Verdict: compare.Pass, Error: 1e-7},
			{Tensor: "c", Expected: "a", Verdict: compare.Fail, Error: 1e-1},
			{Tensor: "d", Verdict: compare.Fail, Error: locate.Number(math.NaN())},
			{Tensor: "e", Verdict: compare.Fail, Error: locate.Number(math.Inf(1))},
			{Tensor: "lost", Error: 3}}})
		Expect(d.Name).To(Equal("modelparity: error"))
		Expect(d.Results).To(HaveLen(6))
		Expect(d.Results["b"]).To(Equal(d.Results["b2"]))
		Expect(d.Results["a"].Value).To(Equal(0.0), "a tensor's own name goes before a counterpart's")
		Expect(d.Results["b"].Value).To(Equal(1e-7))
		Expect(d.Results["c"].BgColor).To(Equal("#aa0014"))
		Expect(d.Results["c"].TextColor).To(Equal("#ffffff"))
		Expect(d.Results["d"].Value).To(Equal("NaN"))
		Expect(d.Results["e"].Value).To(Equal("Infinity"))
		for name, r := range d.Results {
			Expect(r.BgColor).To(MatchRegexp(`^#[0-9a-f]{6}$`), name)
			Expect(r.TextColor).To(MatchRegexp(`^#[0-9a-f]{6}$`), name)
		}
	})

	It("is written for any finding", func() {
		Expect(nodeData(&locate.Finding{}).Results).To(BeEmpty())
		same := nodeData(&locate.Finding{Tensors: []locate.Point{
			{Tensor: "a", Verdict: compare.Pass, Error: 1}, {Tensor: "b", Verdict: compare.Pass, Error: 1}}})
		Expect(same.Results).To(HaveLen(2))
	})
})

const digits = "../../example_test/digits/testdata/digits.onnx"

var _ = Describe("an annotated model", func() {
	It("says at its nodes what was found, and computes what it computed", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNX(digits)
		inputs := fixtures.Random(model, fixtures.Seed(1))
		plain := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
		other := backends.Subject{Engine: ort.Engine(ort.OptimizationLevel("none")), Model: model,
			Inputs: inputs}
		found, err := locate.Divergence(ctx, plain, other, locate.Options{Isolate: true,
			Compare: compare.Options{Checks: []compare.Check{
				compare.Within(1, 1, compare.Elementwise)}}})
		Expect(err).NotTo(HaveOccurred())
		folder := GinkgoT().TempDir()
		file, data := filepath.Join(folder, "in", "a.onnx"), filepath.Join(folder, "in", "a.json")
		Expect(plots.SaveOverlay(found, model, data, file)).To(Succeed())
		Expect(data).To(BeARegularFile())

		// Annotated again, it holds each entry once.
		again := filepath.Join(folder, "again.onnx")
		Expect(plots.SaveOverlay(found, loaders.ONNX(file), "", again)).To(Succeed())
		before, err := ort.Run(ctx, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		for _, path := range []string{file, again} {
			after, err := ort.Run(ctx, loaders.ONNX(path), inputs)
			Expect(err).NotTo(HaveOccurred())
			was, is := before.Iterations()[0].Outputs, after.Iterations()[0].Outputs
			Expect(is.Names()).To(Equal(was.Names()))
			for i, name := range was.Names() {
				Expect(is.At(i).Tensor.Bytes()).To(Equal(was.At(i).Tensor.Bytes()), name)
			}
		}

		python := pythontest.With(GinkgoT(), "onnx")
		const program = `
import json, onnx, sys
model = onnx.load(sys.argv[1])
onnx.checker.check_model(sys.argv[1], full_check=True)
nodes = []
for node in model.graph.node:
    keys = [p.key for p in node.metadata_props]
    assert len(keys) == len(set(keys)), keys
    nodes.append({"doc": node.doc_string, "tensor": dict((p.key, p.value) for p in
        node.metadata_props).get("modelparity.tensor", ""), "outputs": list(node.output)})
print(json.dumps(nodes))`
		for _, path := range []string{file, again} {
			command := exec.Command(python, "-c", program, path)
			command.Stderr = GinkgoWriter
			text, err := command.Output()
			Expect(err).NotTo(HaveOccurred())
			var nodes []struct {
				Doc, Tensor string
				Outputs     []string
			}
			Expect(json.Unmarshal(text, &nodes)).To(Succeed())
			noted := 0
			for _, n := range nodes {
				if n.Tensor == "" {
					continue
				}
				noted++
				Expect(n.Outputs).To(ContainElement(n.Tensor))
				Expect(n.Doc).To(ContainSubstring("modelparity: " + n.Tensor + ": pass, error "))
			}
			Expect(noted).To(BeNumerically(">", 3))
		}
	})

	It("is refused where the model has no nodes of ONNX", func() {
		Expect(plots.SaveOverlay(&locate.Finding{}, nil, "", "a.onnx")).To(MatchError(
			ContainSubstring("notes can be written only to ONNX models")))
		_, err := os.Stat("a.onnx")
		Expect(err).To(HaveOccurred())
	})
})
