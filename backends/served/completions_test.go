package served_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Completions", func() {
	prompts := [][]int64{{3, 14, 15, 9, 26, 5}, {3, 14, 2}, {31, 4, 15, 9}}
	tokens := decode.Tokens(prompts...)
	whole := served.Generation{Tokens: 6, Logprobs: vocabulary, Vocabulary: vocabulary}

	DescribeTable("are a decoder's run with the tokens and the log-probabilities of the model",
		func(ctx SpecContext, form string) {
			g := newGenerator(form)
			run, err := g.completions(whole).Run(ctx, tokens)
			Expect(err).NotTo(HaveOccurred())
			Expect(run).To(MatchOutputsWithin(1e-5, 0, Elementwise).Of(reference(prompts, 6, false)))
			Expect(run.Provenance.String()).To(Equal("served stand-in"))
			Expect(run.Provenance.Model).To(Equal("small"))
			Expect(run).To(MatchDecisions(decisions.Logits{}).Of(reference(prompts, 6, false)))

			few, err := g.completions(served.Generation{Tokens: 6, Logprobs: 3}).Run(ctx, tokens)
			Expect(err).NotTo(HaveOccurred())
			Expect(few.Outputs()[0].Names()).To(HaveExactElements("logits.top_values", "logits.top_tokens",
				"tokens"))
			Expect(few).To(MatchDecisions(decisions.Tokens{Margin: 1e-5}).Of(run))
			values, _ := few.Outputs()[0].Get("logits.top_values")
			Expect(values.Shape()).To(Equal(tensor.Shape{3, 6, 3}))
		},
		Entry("vLLM's form", "vllm"), Entry("llama.cpp's form", "llama.cpp"))

	It("have the prompt's log-probabilities, too, if the server has them", func(ctx SpecContext) {
		asked := whole
		asked.Prompt = true
		run, err := newGenerator("vllm").completions(asked).Run(ctx, tokens)
		Expect(err).NotTo(HaveOccurred())
		Expect(run).To(MatchOutputsWithin(1e-5, 0, Elementwise).Of(reference(prompts, 6, true)))
		_, err = newGenerator("llama.cpp").completions(asked).Run(ctx, tokens)
		Expect(err).To(MatchError(ContainSubstring("if the server does not support it, drop " +
			"Generation.Prompt")))
	})

	It("give what the server lists little to the other tokens", func(ctx SpecContext) {
		run, err := newGenerator("vllm").completions(served.Generation{Tokens: 2, Logprobs: 5,
			Vocabulary: vocabulary}).Run(ctx, tokens)
		Expect(err).NotTo(HaveOccurred())
		logits, _ := run.Outputs()[0].Get("logits")
		sum, least := 0.0, row([]int{3, 14, 15, 9, 26, 5})
		for k := range vocabulary {
			sum += math.Exp(logits.Float64At(k))
			Expect(logits.Float64At(k)).To(BeNumerically("<=", least[sorted(least)[0]]+1e-6))
		}
		Expect(sum).To(BeNumerically("~", 1, 1e-5))
		Expect(run).To(MatchDecisions(decisions.Logits{}).Of(reference(prompts, 2, false)))
	})

	// caught lists the checks that a server fails.
	caught := func(ctx SpecContext, g *generator) (failed []string) {
		GinkgoHelper()
		cold, err := g.completions(whole).Run(ctx, tokens)
		Expect(err).NotTo(HaveOccurred())
		for _, one := range []struct {
			name string
			m    types.GomegaMatcher
		}{
			{"reference", MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(1e-6)}}).Of(reference(prompts, 6, false))},
			{"tokens", MatchDecisions(decisions.Tokens{}).Of(reference(prompts, 6, false))},
			{"repeated", BeRepeatable(2)},
			{"alone", BeSequenceInvariant().Within(1e-6, 0, Elementwise)},
		} {
			holds, err := one.m.Match(cold)
			Expect(err).NotTo(HaveOccurred(), one.name)
			if !holds {
				failed = append(failed, one.name)
				GinkgoWriter.Println(one.name, one.m.FailureMessage(cold))
			}
		}
		return failed
	}

	It("pass on a server without faults", func(ctx SpecContext) {
		Expect(caught(ctx, newGenerator("vllm"))).To(BeEmpty())
	})

	DescribeTable("find faults", func(ctx SpecContext, fault string, by ...string) {
		g := newGenerator("llama.cpp")
		g.fault = fault
		Expect(caught(ctx, g)).To(ContainElements(by))
	},
		Entry(nil, "answers are exchanged", "tokens", "alone"),
		Entry(nil, "padding is not masked", "tokens", "alone"),
		Entry(nil, "a batch is computed in less precision", "reference", "alone"),
		Entry(nil, "a prompt in the cache loses its last token", "repeated"),
		Entry(nil, "a prefix of another prompt is used", "reference"),
		Entry(nil, "the context is cut", "reference", "tokens"),
		Entry(nil, "the second token is chosen", "tokens"),
		Entry(nil, "log-probabilities are of a temperature", "reference"),
		Entry(nil, "it ends early", "tokens"))

	It("send what Fields says, and say what they sent in Go", func(ctx SpecContext) {
		g := newGenerator("vllm")
		engine := g.completions(served.Generation{Tokens: 2, Fields: `{"cache_prompt": false}`})
		_, err := engine.Run(ctx, tokens)
		Expect(err).NotTo(HaveOccurred())
		Expect(g.asked).To(HaveEach(And(HaveKeyWithValue("cache_prompt", false),
			HaveKeyWithValue("model", "small"), HaveKeyWithValue("temperature", 0.0))))
		Expect(engine.GoString()).To(HavePrefix(
			fmt.Sprintf("served.Completions(%q, served.Generate(served.Generation{Tokens:2,", g.URL+
				"/v1/completions")))
		again, err := backends.OpenText(engine.Text())
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Text()).To(Equal(engine.Text()))
	})

	DescribeTable("refuse answers that break the protocol",
		func(ctx SpecContext, choices, why string) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v1/models" {
					fmt.Fprint(w, `{"data": [{"id": "m"}]}`)
					return
				}
				fmt.Fprintf(w, `{"choices": %s}`, choices)
			}))
			DeferCleanup(s.Close)
			for _, prompt := range []bool{false, true} {
				_, err := served.Completions(s.URL+"/v1/completions", served.Generate(served.Generation{
					Tokens: 1, Logprobs: 1, Prompt: prompt})).Run(ctx, decode.Tokens([]int64{5}))
				Expect(err).To(MatchError(ContainSubstring(why)))
				choices = strings.ReplaceAll(choices, `{"logprobs"`, `{"prompt_logprobs": [null], "logprobs"`)
			}
		},
		Entry("none", `[]`, "0 choices, want 1"),
		Entry("another type", `7`, "cannot unmarshal number"),
		Entry("no token", `[{"logprobs": {}}]`, "0 tokens have log-probabilities, want 1"),
		Entry("too many", `[{"logprobs": {"content": [{"id": 1}, {"id": 2}]}}]`,
			"2 tokens have log-probabilities, want 1"),
		Entry("tokens without rows", `[{"logprobs": {"tokens": ["1"]}}]`,
			"1 tokens, but 0 rows of log-probabilities"),
		Entry("an empty row", `[{"logprobs": {"content": [{"id": 1}]}}]`,
			"0 log-probabilities at position 0, want 1"),
		Entry("no id", `[{"logprobs": {"content": [{"token": "a"}]}}]`, "a token has no id"),
		Entry("a negative id",
			`[{"logprobs": {"content": [{"id": 1, "top_logprobs": [{"id": -1, "logprob": -1}]}]}}]`,
			"a negative token at position 0"),
		Entry("a logit",
			`[{"logprobs": {"content": [{"id": 1, "top_logprobs": [{"id": 4, "logprob": 7.5}]}]}}]`,
			"token 4 at position 0 has log-probability 7.5, above 0: it may be a logit"))

	It("refuse what cannot be read", func(ctx SpecContext) {
		short := newGenerator("llama.cpp")
		short.fault = "a token has no log-probabilities"
		_, err := short.completions(whole).Run(ctx, tokens)
		Expect(err).To(MatchError(ContainSubstring(
			"6 tokens were generated, but only 5 have log-probabilities")))
		_, err = newGenerator("text").completions(whole).Run(ctx, tokens)
		Expect(err).To(MatchError(ContainSubstring("by its text; use a server that returns token ids")))
		for text, engine := range map[string]backends.ModelEngine{
			"expected http://host:8000/v1/completions": served.Completions("http://host/v1"),
			"served.Generate applies only to served.Completions": served.Model("http://host/v2/models/m",
				served.Generate(whole)),
			"Fields is not valid JSON": served.Completions("http://host/v1/completions",
				served.Generate(served.Generation{Fields: "{"})),
		} {
			_, err := engine.Run(ctx, tokens)
			Expect(err).To(MatchError(ContainSubstring(text)))
		}
		_, err = newGenerator("vllm").completions(whole).Run(ctx,
			fixtures.Of(masked([]int64{5, 6}, []int64{0, 0})))
		Expect(err).To(MatchError(ContainSubstring("sequence 0 contains only padding")))
		several := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"data": [{"id": "a"}, {"id": "b"}]}`)
		}))
		DeferCleanup(several.Close)
		_, err = served.Completions(several.URL+"/v1/completions").Run(ctx, tokens)
		Expect(err).To(MatchError(ContainSubstring(`the server has 2 models, ["a" "b"]: name one in ` +
			`Fields`)))
	})
})
