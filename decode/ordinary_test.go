package decode_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("A run of a decoder is an ordinary run", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("matches its golden file, whose note names the caches", func(ctx SpecContext) {
		e := exportedAs("llama")
		Expect(e.run(ctx, decode.TopK(5))).To(MatchGolden("llama").Within(1e-4, 1e-4, Elementwise))
	})

	It("has noise, which explains other kernels and no fault", func(ctx SpecContext) {
		e := exportedAs("llama")
		run := e.run(ctx)
		Expect(e.run(ctx, decode.Whole())).To(MatchWithinNoise().Of(run))
		broken, err := decode.Run(ctx, faulty{ort.Engine(), corrupted}, e.model, e.inputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(broken).NotTo(MatchWithinNoise().Of(run))
	})

	It("is located by token, layer and cache", func(ctx SpecContext) {
		e := exportedAs("t5")
		broken, err := decode.Run(ctx, faulty{ort.Engine(), corrupted}, e.model, e.inputs())
		Expect(err).NotTo(HaveOccurred())
		m := MatchOutputsWithin(2e-5, 2e-5, Elementwise).Of(e.run(ctx)).Locating()
		Expect(m.Match(broken)).To(BeFalse())
		Expect(m.FailureMessage(broken)).To(ContainSubstring(
			`the runs part first at token 3, in layer 1 key (output "present.1.decoder.key"`))
		loose := MatchOutputsWithin(2e-5, 2e-5, Elementwise).
			ForOutput("present.*.decoder.key", 100, 0, Elementwise).Of(e.run(ctx)).Locating()
		Expect(loose.Match(broken)).To(BeFalse())
		Expect(loose.FailureMessage(broken)).To(ContainSubstring("in logits")) // layer 1 is the last
	})

	It("is repeatable, and runs in a process of its own", func(ctx SpecContext) {
		e := exportedAs("gpt2")
		run := e.run(ctx, decode.Greedy(3))
		Expect(run).To(BeRepeatable(2))
		apart, err := backends.RunIn(ctx, isolated.Engine(decode.Engine(ort.Engine(),
			decode.Greedy(3))), e.model, e.inputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(apart).To(MatchOutputsWithin(0, 0, Elementwise).Of(run))
		Expect(decode.Part(apart, run, near)).To(BeNil())
	})

	It("says what made it, and how it was driven", func(ctx SpecContext) {
		run := exportedAs("gpt2").run(ctx, decode.Steps(5))
		Expect(run.Provenance.Backend).To(Equal("onnxruntime"))
		Expect(run.Provenance.Options).To(HaveKeyWithValue("decode", "token by token Steps(5)"))
		Expect(run.Subject().Repeatable()).To(Succeed())
		Expect(run.Iterations()[0].Runtime).To(BeNumerically(">", 0))
	})
})
