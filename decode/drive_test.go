package decode_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var (
	first  = []int64{3, 1, 4, 1, 5}
	second = []int64{2, 7, 1}
)

func driven(ctx context.Context, t *toy, options ...decode.Option) *backends.Run {
	GinkgoHelper()
	run, err := backends.RunIn(ctx, decode.Engine(t, options...), t, decode.Tokens(first, second))
	Expect(err).NotTo(HaveOccurred())
	return run
}

func floats(run *backends.Run, name string) []float32 {
	GinkgoHelper()
	t, ok := run.Outputs()[0].Get(name)
	Expect(ok).To(BeTrue(), "%v", run.Outputs()[0].Names())
	values, err := tensor.Values[float32](t)
	Expect(err).NotTo(HaveOccurred())
	return values
}

// usual is a toy that uses the names of Hugging Face's exporters.
func usual() *toy { return toyOf("past_key_values.0.key", "present.0.key", 2) }

var _ = Describe("Driving a decoder", func() {
	It("counts positions from the first token, and leaves padding at zero", func(ctx SpecContext) {
		run := driven(ctx, usual())
		Expect(floats(run, "present.0.key")).To(Equal([]float32{3, 1 + 1./64, 4 + 2./64, 1 + 3./64,
			5 + 4./64, 0, 0, 2, 7 + 1./64, 1 + 2./64}))
		logits := floats(run, "logits")
		Expect(logits[5*toyWords : 7*toyWords]).To(HaveEach(float32(0)))
		Expect(logits[7*toyWords+2]).To(BeNumerically("==", 0)) // the first real token sees only itself
		tokens, _ := run.Outputs()[0].Get("tokens")
		Expect(tokens.Float64s()).To(Equal([]float64{3, 1, 4, 1, 5, -1, -1, 2, 7, 1}))
	})

	It("returns the same for any step size", func(ctx SpecContext) {
		for _, options := range [][]decode.Option{{decode.Whole()}, {decode.Steps(2)},
			{decode.Steps(3, 1)}, {decode.Steps(4, 9)}} {
			Expect(driven(ctx, usual(), options...)).To(
				MatchOutputsWithin(0, 0, Elementwise).Of(driven(ctx, usual())))
		}
	})

	It("returns the same for a sequence with and without padding", func(ctx SpecContext) {
		alone, err := backends.RunIn(ctx, decode.Engine(usual()), usual(), decode.Tokens(second))
		Expect(err).NotTo(HaveOccurred())
		both := floats(driven(ctx, usual()), "logits")
		Expect(both[7*toyWords:]).To(Equal(floats(alone, "logits")))
	})

	DescribeTable("finds caches by the names of exporters", func(ctx SpecContext, past, present string,
		axis int) {
		run := driven(ctx, toyOf(past, present, axis), decode.Steps(2))
		Expect(floats(run, present)).To(Equal(floats(driven(ctx, usual()), "present.0.key")))
	},
		Entry("of an encoder-decoder", "past_key_values.0.decoder.key", "present.0.decoder.key", 2),
		Entry("of GenAI's encoder-decoders", "past_key_self_0", "present_key_self_0", 2),
		Entry("with the layer's number at the end", "past_key_0", "present_key_0", 2),
		Entry("past without key_values", "past.0.value", "present.0.value", 2),
		Entry("key and value in one tensor", "past_0", "present_0", 3))

	It("accepts user-defined names", func(ctx SpecContext) {
		t := toyOf("k_in", "k_out", 2)
		_, err := backends.RunIn(ctx, decode.Engine(t), t, decode.Tokens(first))
		Expect(err).To(MatchError(ContainSubstring(`decode.Mapped(decode.Names{Caches: …})`)))
		mapped := decode.Mapped(decode.Names{Caches: []decode.Cache{
			{Past: "k_in", Present: "k_out", Part: "key", Axis: 2}}})
		Expect(floats(driven(ctx, t, mapped), "k_out")).To(
			Equal(floats(driven(ctx, usual()), "present.0.key")))
	})

	It("supports caches of fixed length", func(ctx SpecContext) {
		static := usual()
		static.static = 8
		static.inputs[3].Dims[2].Size, static.outputs[1].Dims[2].Size = 8, 8
		static.inputs[1].Dims[1].Size = 8
		for _, options := range [][]decode.Option{nil, {decode.Steps(2)}} {
			Expect(driven(ctx, static, options...)).To(
				MatchOutputsWithin(0, 0, Elementwise).Of(driven(ctx, usual())))
		}
		_, err := backends.RunIn(ctx, decode.Engine(static, decode.Greedy(9)), static,
			decode.Tokens(first))
		Expect(err).To(MatchError(ContainSubstring("has room for 8 tokens, but decoding needs 13")))
	})

	It("keeps the greatest logits instead of all", func(ctx SpecContext) {
		run := driven(ctx, usual(), decode.TopK(2))
		Expect(run.Outputs()[0].Names()).NotTo(ContainElement("logits"))
		// Token 0 of the first sequence sees 3: token 3 leads, then 2 before 4.
		Expect(floats(run, "logits.top_values")[:2]).To(Equal([]float32{0, -1}))
		top, _ := run.Outputs()[0].Get("logits.top_tokens")
		Expect(top.Float64s()[:2]).To(Equal([]float64{3, 2}))
	})

	It("rejects unsupported models and options", func(ctx SpecContext) {
		fails := func(t *toy, inputs fixtures.Inputs, options ...decode.Option) error {
			_, err := backends.RunIn(ctx, decode.Engine(t, options...), t, inputs)
			return err
		}
		alone := usual()
		alone.lastAlone = true
		Expect(fails(alone, decode.Tokens(first), decode.Whole())).To(
			MatchError(ContainSubstring("decode one token per step: decode.Steps(1)")))
		Expect(fails(alone, decode.Tokens(first))).To(Succeed())
		nan := usual()
		nan.nan = true
		Expect(fails(nan, decode.Tokens(first), decode.Greedy(2))).To(
			MatchError(ContainSubstring("all logits of the last token are NaN")))
		unmasked := usual()
		unmasked.inputs = append(unmasked.inputs[:1:1], unmasked.inputs[2:]...)
		Expect(fails(unmasked, decode.Tokens(first, second))).To(
			MatchError(ContainSubstring("sequence 1 is padded, but the model has no attention mask")))
		Expect(fails(usual(), decode.Tokens())).To(MatchError(ContainSubstring("no tokens given")))
		Expect(fails(usual(), decode.Tokens(first, nil))).To(
			MatchError(ContainSubstring("sequence 1 consists of padding only")))
		Expect(fails(usual(), decode.TokensWith([]tensor.Entry{{Name: "position_ids",
			Tensor: tensor.Of[int64](1)}}, first))).To(
			MatchError(ContainSubstring(`decoding computes input "position_ids" at each step`)))
		heads := usual()
		heads.inputs[3].Dims[1].Size = -1
		Expect(fails(heads, decode.Tokens(first))).To(
			MatchError(ContainSubstring("axis 1 has no declared size")))
		lost := usual()
		lost.outputs = lost.outputs[:1]
		Expect(fails(lost, decode.Tokens(first))).To(
			MatchError(ContainSubstring(`the model lacks this cache's output "present.0.key"`)))
		Expect(fails(usual(), decode.Tokens(first), decode.TopK(99))).To(
			MatchError(ContainSubstring("decode.TopK asks for 99 tokens, but the vocabulary has 11")))
		Expect(fails(usual(), decode.Tokens(first), decode.Steps(2, 0), decode.Greedy(-1))).To(
			MatchError(And(ContainSubstring("a step of 0 tokens"), ContainSubstring("-1 tokens"))))
	})
})

var _ = Describe("A decoder's engine", func() {
	It("prints itself as text, as Go and as a description", func() {
		e := decode.Engine(toyOf("p", "q", 2), decode.Steps(4, 1), decode.Greedy(2),
			decode.Mapped(decode.Names{Tokens: "ids", Caches: []decode.Cache{
				{Past: "p", Present: "q", Part: "key", Axis: 2, Fixed: true}}}))
		Expect(e.GoString()).To(Equal(`decode.Engine(toy.Engine(), decode.Greedy(2), ` +
			`decode.Mapped(decode.Names{Tokens:"ids", Mask:"", Positions:"", Slots:"", Branch:"", ` +
			`Logits:"", Caches:[]decode.Cache{decode.Cache{Past:"p", Present:"q", Part:"key", Axis:2, ` +
			`Batch:0, Fixed:true}}}), decode.Steps(4, 1))`))
		Expect(e.String()).To(HavePrefix("toy, token by token "))
		Expect(e.Text()).To(HavePrefix(`decode {"greedy":2,`))
		Expect(e.Text()).To(HaveSuffix(` toy {}`))
	})

	It("can be parsed from its text", func() {
		e := decode.Engine(fake.Engine(), decode.Steps(4), decode.TopK(3))
		Expect(e.Text()).To(Equal(`decode {"steps":[4],"top_k":3} fake {}`))
		read, err := backends.OpenText(e.Text())
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Text()).To(Equal(e.Text()))
		_, err = backends.OpenText(`decode {"steps":[0]`)
		Expect(err).To(HaveOccurred())
	})
})

var _ = Describe("Under", func() {
	It("checks an output by its own rule rather than by a pattern's", func() {
		hold := decode.Under(compare.Options{PerOutput: map[string][]compare.Check{
			"log*":   {compare.Within(0, 0, Elementwise)},
			"logits": {compare.Within(1, 0, Elementwise)},
			"*its":   {compare.Within(0, 0, Elementwise)}}}, nil, compare.Bars{})
		actual, expected := tensor.Of[float32](1.5), tensor.Of[float32](1)
		Expect(hold(decode.Slice{Output: "logits", Axis: -1}, actual, expected)).To(BeEmpty())
		Expect(hold(decode.Slice{Output: "logarithm", Axis: -1}, actual, expected)).NotTo(BeEmpty())
	})
})
