package genai_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
)

var _ = Describe("ONNX Runtime GenAI as a value", func() {
	DescribeTable("says itself in words, as Go and as a canonical text",
		func(e backends.Engine, words, source, text string) {
			Expect(e.String()).To(Equal(words))
			Expect(e.GoString()).To(Equal(source))
			Expect(e.Text()).To(Equal(text))
			read, err := backends.OpenText(text) // in another process
			Expect(err).NotTo(HaveOccurred())
			Expect(read.Text()).To(Equal(text))
		},
		Entry("without options", genai.Engine(), "onnxruntime-genai", "genai.Engine()", `genai {}`),
		Entry("with all", genai.Engine(genai.Overlay(`{"a":1}`), genai.Threads(2),
			genai.Library("/lib/g.so"), genai.WarmUp(2)),
			`onnxruntime-genai Library(/lib/g.so), Overlay({"a":1}), Threads(2), WarmUp(2)`,
			"genai.Engine(genai.Library(\"/lib/g.so\"), genai.Overlay(\"{\\\"a\\\":1}\"), "+
				"genai.Threads(2), genai.WarmUp(2))",
			`genai {"library":"/lib/g.so","overlay":"{\"a\":1}","threads":2,"warm_up":2}`),
		Entry("behind package decode", decode.Engine(genai.Engine(), decode.Whole()),
			"onnxruntime-genai, token by token Whole", "decode.Engine(genai.Engine(), decode.Whole())",
			`decode {"steps":[0]} genai {}`),
	)

	It("equals an engine of equal options, and takes threads", func() {
		Expect(genai.Engine(genai.Threads(3))).To(BeIdenticalTo(genai.Engine(genai.Threads(3))))
		Expect(genai.Engine(genai.Threads(3))).NotTo(BeIdenticalTo(genai.Engine()))
		Expect(backends.CapabilitiesOf(genai.Engine()).Threads(3)).To(BeIdenticalTo(
			genai.Engine(genai.Threads(3))))
	})

	It("tells all that is wrong with its options at once, when it is opened", func(ctx SpecContext) {
		expected := "onnxruntime-genai: genai.Library(\"\"): the path is empty; pass the path of a " +
			"libonnxruntime-genai\n" +
			"genai.Threads(-1): the number of threads must be 0 or more\n" +
			"genai.Overlay(\"[\"): expected a JSON object: unexpected end of JSON input\n" +
			"genai.WarmUp(-1): the number of warm-up runs must be 0 or more"
		wrong := []genai.Option{genai.Library(""), genai.Threads(-1), genai.Overlay("["),
			genai.WarmUp(-1)}
		_, err := genai.Engine(wrong...).Open(ctx, exported("llama"), fixtures.Inputs{})
		Expect(err).To(MatchError(expected))
		Expect(genai.Available(wrong...)).To(MatchError(expected))
	})
})
