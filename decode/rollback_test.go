package decode_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Rolled-back tokens", func() {
	It("leave no trace in growing caches or in fixed ones", func(ctx SpecContext) {
		static := usual()
		static.static = 8
		static.inputs[3].Dims[2].Size, static.outputs[1].Dims[2].Size = 8, 8
		static.inputs[1].Dims[1].Size = 8
		for _, t := range []*toy{usual(), static} {
			for _, options := range [][]decode.Option{nil, {decode.Steps(3)}, {decode.Whole()}} {
				Expect(driven(ctx, t, append(options, decode.Rollback(2, 2))...)).To(
					MatchOutputsWithin(0, 0, Elementwise).Of(driven(ctx, usual())), "%v", options)
			}
		}
	})

	It("are among the shapes for which an engine is opened", func(ctx SpecContext) {
		// Engines that build for shapes reject steps outside the smallest and the greatest of them.
		t := usual()
		driven(ctx, t)
		Expect(t.opened).To(Equal([][2]int{{1, 0}, {1, 1}, {1, 4}}))
		driven(ctx, t, decode.Rollback(2, 3))
		Expect(t.opened).To(ContainElement([2]int{3, 2}))
		Expect(t.opened).To(Equal([][2]int{{1, 0}, {1, 1}, {3, 2}, {1, 4}}))
	})

	It("are rejected if there are too few tokens", func(ctx SpecContext) {
		t := usual()
		_, err := backends.RunIn(ctx, decode.Engine(t, decode.Rollback(4, 3)), t, decode.Tokens(first))
		Expect(err).To(MatchError(ContainSubstring(
			"to roll back 3 tokens after the first 4, sequences must have at least 7 tokens; got 5")))
		_, err = backends.RunIn(ctx, decode.Engine(t, decode.Rollback(0, 3)), t, decode.Tokens(first))
		Expect(err).To(MatchError(ContainSubstring(
			"the numbers of draft tokens (3) and of tokens before them (0) must be 1 or more")))
	})
})

var _ = Describe("Positions with another start", func() {
	It("reach the model", func(ctx SpecContext) {
		// The toy's cache stores each token plus its position divided by 64.
		plain := floats(driven(ctx, usual()), "present.0.key")
		for i, v := range floats(driven(ctx, usual(), decode.From(32)), "present.0.key") {
			if plain[i] != 0 {
				Expect(v).To(BeNumerically("==", plain[i]+0.5))
			}
		}
	})

	It("need a position input", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		e := exportedAs("t5")
		_, err := decode.Run(ctx, ort.Engine(), e.model, e.inputs(), decode.From(3))
		Expect(err).To(MatchError(ContainSubstring("the model has no input position_ids")))
	})
})

var _ = Describe("A cut run", func() {
	It("contains one sequence without its first tokens", func(ctx SpecContext) {
		run := driven(ctx, usual())
		cut := must(decode.Cut(run, 1, 2))
		whole, _ := run.Outputs()[0].Get("present.0.key")
		part, _ := cut.Outputs()[0].Get("present.0.key")
		n := whole.Shape()[2]
		Expect(part.Shape()).To(Equal(tensor.Shape{1, 1, n - 2, 1}))
		Expect(floats(cut, "present.0.key")).To(Equal(floats(run, "present.0.key")[n+2:]))
		_, err := decode.Cut(run, 7, 0)
		Expect(err).To(MatchError(ContainSubstring("lacks sequence 7 or has fewer than")))
	})
})
