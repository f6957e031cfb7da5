package tract_test

import (
	"context"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("tract as a value", func() {
	DescribeTable("says itself in words, as Go and as a canonical text",
		func(e backends.Engine, words, source, text string) {
			Expect(e.String()).To(Equal(words))
			Expect(e.GoString()).To(Equal(source))
			Expect(e.Text()).To(Equal(text))
		},
		Entry("without options", tract.Engine(), "tract", "tract.Engine()", `tract {}`),
		Entry("with the zero option", tract.Engine(tract.Option{}), "tract", "tract.Engine()",
			`tract {}`),
		Entry("with all", tract.Engine(tract.Library("/lib/tract.so"), tract.FP16(),
			tract.WarmUp(2)),
			"tract FP16, Library(/lib/tract.so), WarmUp(2)",
			`tract.Engine(tract.FP16(), tract.Library("/lib/tract.so"), tract.WarmUp(2))`,
			`tract {"fp16":true,"library":"/lib/tract.so","warm_up":2}`),
		Entry("with the last of two", tract.Engine(tract.WarmUp(2), tract.WarmUp(0)),
			"tract", "tract.Engine()", `tract {}`),
	)

	It("equals an engine of equal options", func() {
		Expect(tract.Engine(tract.FP16())).To(BeIdenticalTo(tract.Engine(tract.FP16())))
		Expect(tract.Engine(tract.FP16())).NotTo(BeIdenticalTo(tract.Engine()))
	})

	It("prints its options as Go", func() {
		Expect(tract.Engine(tract.FP16()).GoString()).To(Equal("tract.Engine(tract.FP16())"))
	})

	It("tells all that is wrong with its options at once, when it is opened", func(ctx SpecContext) {
		wrong := tract.Engine(tract.FP16(), tract.Library(""), tract.WarmUp(-1))
		expected := "tract: tract.Library(\"\"): the path is empty; pass the path of tract's " +
			"library\n" +
			"tract.WarmUp(-1): the number of warm-up runs must be 0 or more"
		_, err := wrong.Open(ctx, unary("Neg", float32s), fixtures.Inputs{})
		Expect(err).To(MatchError(expected))
		Expect(tract.Available(tract.Library(""), tract.WarmUp(-1))).To(
			MatchError(expected))
	})

	It("runs the first inputs before those that count", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		ending, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := tract.Run(ending, unary("Neg", float32s), x(tensor.Of[float32](1)),
			tract.WarmUp(math.MaxInt))
		Expect(err).To(And(MatchError(context.DeadlineExceeded),
			MatchError(ContainSubstring("while warming up"))))
		run, err := tract.Run(ctx, unary("Neg", float32s), x(tensor.Of[float32](1)), tract.WarmUp(2))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Len()).To(Equal(1))
	})
})
