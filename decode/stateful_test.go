package decode_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("Caches that stay in the engine", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	for _, name := range architectures {
		It("equal copied caches bit for bit, in "+name, func(ctx SpecContext) {
			e := exportedAs(name)
			for _, options := range [][]decode.Option{{decode.Steps(1)}, {decode.Steps(5, 1)},
				{decode.Whole(), decode.Greedy(4)}, {decode.Greedy(4)}} {
				kept := must(decode.Run(ctx, ort.Engine(), e.model, e.padded(), options...))
				copied := must(decode.Run(ctx, ort.Engine(), e.model, e.padded(),
					append(options, decode.Copying())...))
				Expect(kept).To(MatchOutputsWithin(0, 0, Elementwise).Of(copied), "%v", options)
				Expect(kept.Provenance.Backend).To(Equal("onnxruntime"))
				Expect(kept.Provenance.ModelSHA256).To(Equal(copied.Provenance.ModelSHA256))
				Expect(kept.Iterations()[0].Runtime).To(BeNumerically(">", 0))
			}
		})
	}

	It("stop with their context", func(ctx SpecContext) {
		e := exportedAs("llama")
		ended, cancel := context.WithCancel(ctx)
		defer cancel()
		watching := decode.Watch(ended, func(done, _ int) {
			if done == 3 {
				cancel()
			}
		})
		_, err := decode.Run(watching, ort.Engine(), e.model, e.inputs())
		Expect(err).To(MatchError(ContainSubstring("canceled")))
	})
})
