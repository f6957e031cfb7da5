package engineflags

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("What TensorRT's parser takes of a model", func() {
	refused := []trt.Refusal{
		{Node: "n1", Operator: "Foo", Reason: "no importer for the operator"},
		{Node: "n3", Operator: "Inner", Reason: "no importer for the operator",
			Functions: []string{"outer", "inner"}}}

	It("is told in a text", func() {
		found := &trt.Support{Model: "straight.onnx", TensorRT: "10.6.2.7", Supported: true}
		Expect(SupportText(found)).To(Equal(
			"straight.onnx in the ONNX parser of TensorRT 10.6.2.7: supported\n"))
		found.Supported, found.Refusals = false, refused
		Expect(SupportText(found)).To(HaveSuffix("not supported\n" +
			"  Foo n1: no importer for the operator\n" +
			"  Inner n3: no importer for the operator (in outer, inner)\n"))
	})

	It("is saved with every part", func() {
		model := loaders.ONNXBytes("part.onnx", onnxtest.Model{}.Bytes())
		found := &trt.Support{Parts: []trt.Part{{Supported: true, Model: model},
			{First: 1, Last: 1, Model: model, Refusals: refused, Whole: "it has no name"}}}
		folder := filepath.Join(GinkgoT().TempDir(), "dumps")
		files, err := saveSupport(found, folder)
		Expect(err).NotTo(HaveOccurred())
		names := make([]string, len(files))
		for i, file := range files {
			names[i] = filepath.Base(file)
		}
		Expect(names).To(HaveExactElements("supported_subgraph-nodes-0-0.onnx",
			"unsupported_subgraph-nodes-1-1.onnx", "results.txt"))
		text, err := os.ReadFile(files[2])
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(And(Equal(SupportText(found)),
			ContainSubstring("not divided further: it has no name\n")))
	})
})
