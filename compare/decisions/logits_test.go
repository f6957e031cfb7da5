package decisions_test

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

// llamaCase is one of testdata/logits.py.
type llamaCase struct {
	Positions, Words int
	Tail             float64
	Actual, Expected []byte // float16
	Following        []int64
	Exact, File      map[string][]string
}

// sides are the logits and tokens of a case.
func (c llamaCase) sides() (actual, expected []*tensor.Set) {
	GinkgoHelper()
	tokens, err := tensor.New(tensor.Shape{1, c.Positions + 1}, append([]int64{0}, c.Following...))
	Expect(err).NotTo(HaveOccurred())
	side := func(data []byte) []*tensor.Set {
		t, err := tensor.FromBytes(tensor.Float16, tensor.Shape{1, c.Positions, c.Words}, data)
		Expect(err).NotTo(HaveOccurred())
		return []*tensor.Set{set("logits", t, "tokens", tokens)}
	}
	return side(c.Actual), side(c.Expected)
}

// inPercent are the statistics that llama.cpp prints in percent, and this many decimals.
var inPercent = map[string]int{"perplexity correlation": 2, "mean Δp": 3, "RMS Δp": 3,
	"same top token": 3}

var _ = It("the statistics of logits agree with llama.cpp's to the digits that it prints", func() {
	for i, c := range recorded[llamaCase]("logits.json", 5) {
		actual, expected := c.sides()
		rule := decisions.Logits{Tail: c.Tail}
		found, err := decisions.Judge(rule, actual, expected)
		Expect(err).NotTo(HaveOccurred())
		table, err := rule.Table(actual, expected)
		Expect(err).NotTo(HaveOccurred())
		Expect(table.Followed).To(Equal(c.Positions))
		seen := 0
		for _, m := range found.Measures {
			want, ok := c.Exact[m.Name]
			if !ok {
				continue
			}
			seen++
			decimals, factor := 6, 1.
			if n := inPercent[m.Name]; n > 0 {
				decimals, factor = n, 100
			} else if strings.HasPrefix(m.Name, "Δp") {
				decimals, factor = 3, 100
			}
			got := []string{strconv.FormatFloat(factor*m.Value, 'f', decimals, 64)}
			if len(want) > 1 {
				got = append(got, strconv.FormatFloat(factor*m.Error, 'f', decimals, 64))
			}
			Expect(got).To(Equal(want), "case %d: %s", i, m.Name)

			// The tool itself reads the expected side from 16 bits, in float32.
			stored, err := strconv.ParseFloat(c.File[m.Name][0], 64)
			Expect(err).NotTo(HaveOccurred())
			Expect(factor*m.Value).To(BeNumerically("~", stored, 0.01), "case %d: %s", i, m.Name)
		}
		Expect(seen).To(Equal(len(c.Exact)), "case %d", i)
	}
})

// words is logits [sequences,tokens,vocabulary] whose rows lead with these tokens by a gap of 4.
func words(sequences int, leading ...int) *tensor.Tensor {
	values := make([]float32, 0, 8*len(leading))
	for _, token := range leading {
		row := make([]float32, 8)
		row[token] = 4
		values = append(values, row...)
	}
	return shaped(tensor.Shape{sequences, len(leading) / sequences, 8}, values...)
}

// text is tokens [sequences,tokens].
func text(sequences int, tokens ...int64) *tensor.Tensor {
	return shaped(tensor.Shape{sequences, len(tokens) / sequences}, tokens...)
}

var _ = Describe("Logits", func() {
	judge := func(rule decisions.Logits, actual, expected *tensor.Set) *decisions.Findings {
		GinkgoHelper()
		f, err := decisions.Judge(rule, []*tensor.Set{actual}, []*tensor.Set{expected})
		Expect(err).NotTo(HaveOccurred())
		return f
	}
	refuse := func(rule decisions.Logits, actual, expected *tensor.Set) error {
		GinkgoHelper()
		_, err := decisions.Judge(rule, []*tensor.Set{actual}, []*tensor.Set{expected})
		Expect(err).To(HaveOccurred())
		return err
	}
	// near has a row that leads with 3 by 0.25 before 5.
	near := func(first, second int) *tensor.Tensor {
		row := make([]float32, 24)
		row[2], row[8+first], row[8+second], row[16+1] = 4, 3, 2.75, 4
		return shaped(tensor.Shape{1, 3, 8}, row...)
	}

	It("name the first position where another token leads, with its margin", func() {
		f := judge(decisions.Logits{}, set("y", near(5, 3)), set("y", near(3, 5)))
		Expect(counts(f)).To(Equal([]int{3, 1, 0}))
		Expect(f.Reason).To(Equal("positions that flip and are not excused by the rule: 1 of 3"))
		Expect(f.Notes).To(ContainElement(
			"the top token first differs at sequence 0, token 1: 5, expected 3 (margin 0.25)"))
		f = judge(decisions.Logits{Margin: 0.25}, set("y", near(5, 3)), set("y", near(3, 5)))
		Expect(counts(f)).To(Equal([]int{3, 0, 1}))
		Expect(f.Pass).To(BeTrue())
		Expect(judge(decisions.Logits{Flips: 0.4}, set("y", near(5, 3)), set("y", near(3, 5))).Pass).To(
			BeTrue())
	})

	It("name the earliest token of all sequences", func() {
		f := judge(decisions.Logits{}, set("y", words(2, 1, 1, 2, 7, 1, 1)),
			set("y", words(2, 1, 1, 1, 1, 1, 1)))
		Expect(f.Notes).To(ContainElement(HavePrefix(
			"the top token first differs at sequence 1, token 0: 7, ")))
	})

	It("may have limits for statistics instead of positions", func() {
		a, e := set("y", near(5, 3), "tokens", text(1, 0, 2, 3)),
			set("y", near(3, 5), "tokens", text(1, 0, 2, 3))
		rule := decisions.Logits{Output: "y", Limits: decisions.Limits{
			{Statistic: decisions.SameTop(), Limit: 0.6},
			{Statistic: decisions.MaxKLD(), Limit: 0.1, AtMost: true},
			{Statistic: decisions.PerplexityRatio(), Limit: 2, AtMost: true},
			{Statistic: decisions.TopError(0), Limit: 0.1, AtMost: true}}}
		Expect(decisions.TextOf(rule)).To(Equal("logits, same top token at least 0.6, maximum " +
			"KLD at most 0.1, perplexity ratio at most 2, error of all logits at most 0.1"))
		Expect(judge(rule, a, e).Pass).To(BeTrue())
		for i, limit := range []float64{0.7, 0.001, 1.01, 0.05} {
			strict := rule
			strict.Limits = append(decisions.Limits{}, rule.Limits...)
			strict.Limits[i].Limit = limit
			f := judge(strict, a, e)
			Expect(f.Pass).To(BeFalse(), "%v", strict.Limits[i])
			Expect(f.Reason).To(HavePrefix(strict.Limits[i].Statistic.String()))
		}
	})

	It("compute the divergence of two distributions", func() {
		// p = (3/4, 1/4), q = (1/4, 3/4): Σ p·ln(p/q) = ½·ln 3.
		log := math.Log(3)
		f := judge(decisions.Logits{}, set("y", shaped(tensor.Shape{1, 2}, 0, log)),
			set("y", shaped(tensor.Shape{1, 2}, log, 0.)))
		Expect(measured(f, "mean KLD")).To(BeNumerically("~", log/2, 1e-15))
		Expect(measured(f, "error of all logits")).To(BeNumerically("~", (log-1e-5)/log, 1e-15))
		equal := set("y", near(3, 5))
		Expect(measured(judge(decisions.Logits{}, equal, equal), "maximum KLD")).To(BeZero())
	})

	It("know that a token of probability 0 is another than an unlikely one", func() {
		none := math.Inf(-1)
		masked, open := shaped(tensor.Shape{1, 3}, 1, 0, none), shaped(tensor.Shape{1, 3}, 1, 0, -1.)
		f := judge(decisions.Logits{}, set("y", masked), set("y", open))
		Expect(measured(f, "mean KLD")).To(Equal(math.Inf(1)))
		f = judge(decisions.Logits{}, set("y", open), set("y", masked))
		Expect(measured(f, "mean KLD")).To(BeNumerically("~", 0.0944, 1e-3))
		f = judge(decisions.Logits{}, set("y", masked), set("y", masked))
		Expect(measured(f, "mean KLD")).To(BeZero())
		Expect(measured(f, "error of all logits")).To(BeZero())
	})

	It("leave unlikely tokens out where llama.cpp's files end", func() {
		open, masked := shaped(tensor.Shape{1, 2}, 0., -17), shaped(tensor.Shape{1, 2}, 0., math.Inf(-1))
		Expect(measured(judge(decisions.Logits{}, set("y", masked), set("y", open)), "mean KLD")).To(
			Equal(math.Inf(1)))
		Expect(measured(judge(decisions.Logits{Tail: 16}, set("y", masked), set("y", open)),
			"mean KLD")).To(BeNumerically("~", 0, 1e-7))
	})

	It("leave out padding, and what follows another text", func() {
		tokens := text(1, -1, 4, 5)
		f := judge(decisions.Logits{Output: "y"}, set("y", words(1, 7, 1, 1), "tokens", tokens),
			set("y", words(1, 1, 1, 1), "tokens", tokens))
		Expect(counts(f)).To(Equal([]int{2, 0, 0}))
		e := words(1, 1, 1, 1, 1)
		values, err := tensor.Values[float32](e)
		Expect(err).NotTo(HaveOccurred())
		values[7] = -1 // another leader would be beyond the margin
		f = judge(decisions.Logits{Output: "y", Margin: 4},
			set("y", words(1, 2, 3, 3, 3), "tokens", text(1, 0, 2, 1, 1, 1)),
			set("y", e, "tokens", text(1, 0, 1, 1, 1, 1)))
		Expect(counts(f)).To(Equal([]int{1, 0, 1}), "the first token's logits chose differently")
		Expect(f.Notes).To(ContainElement("3 positions are left out, because they follow the first " +
			"token that differs"))
	})

	It("refuse what decides nothing, and fail for what is lost", func() {
		nan := words(1, 1, 1)
		broken := shaped(tensor.Shape{1, 2, 2}, 1, 2, math.NaN(), 0)
		whole := shaped(tensor.Shape{1, 2, 2}, 1, 2, 3., 0)
		Expect(refuse(decisions.Logits{}, set("y", whole), set("y", broken))).To(
			MatchError(`decisions: the expected "y": sequence 0, token 1: logit 0 is NaN`))
		Expect(judge(decisions.Logits{}, set("y", broken), set("y", whole)).Reason).To(
			Equal(`"y": sequence 0, token 1: logit 0 is NaN`))
		Expect(judge(decisions.Logits{}, set("y", whole), set("y", nan)).Reason).To(
			ContainSubstring("the shape"))
		Expect(judge(decisions.Logits{}, set("z", nan), set("y", nan)).Pass).To(BeFalse())
		one := shaped(tensor.Shape{1, 2, 1}, 1., 2)
		Expect(refuse(decisions.Logits{}, set("y", one), set("y", one))).To(
			MatchError(ContainSubstring("a vocabulary of one token, so the top token can never change")))
		pads := set("logits", nan, "tokens", text(1, -1, -1))
		Expect(refuse(decisions.Logits{}, pads, pads)).To(
			MatchError(ContainSubstring("is padding, so there is nothing to compare")))
		Expect(refuse(decisions.Logits{Limits: decisions.Limits{
			{Statistic: decisions.RMSDeltaP(), Limit: 0.1, AtMost: true}}}, set("y", nan), set("y", nan))).
			To(MatchError(ContainSubstring("perplexity and Δp need the token that follows each position")))
		odd := set("logits", nan, "tokens", text(1, 1))
		Expect(refuse(decisions.Logits{}, odd, odd)).To(MatchError(ContainSubstring("the number of " +
			"positions in the logits")))
		far := set("logits", nan, "tokens", text(1, 1, 9))
		Expect(refuse(decisions.Logits{}, far, far)).To(
			MatchError(ContainSubstring("the vocabulary has only 8")))
	})

	DescribeTable("refuse limits that cannot be meant", func(l decisions.LogitLimit, says string) {
		y := set("y", words(1, 1, 1))
		Expect(refuse(decisions.Logits{Limits: decisions.Limits{l}}, y, y)).To(
			MatchError(ContainSubstring(says)))
	},
		Entry("of nothing", decisions.LogitLimit{}, "a limit has no statistic"),
		Entry("NaN", decisions.LogitLimit{Statistic: decisions.MeanKLD(), Limit: math.NaN(),
			AtMost: true}, "want a finite number"),
		Entry("that all keep", decisions.LogitLimit{Statistic: decisions.SameTop(), Limit: 1,
			AtMost: true}, "nothing could fail"),
		Entry("that all keep, below", decisions.LogitLimit{Statistic: decisions.SameTop()},
			"nothing could fail"),
		Entry("another quantile", decisions.LogitLimit{Statistic: decisions.KLD(99), Limit: 1,
			AtMost: true}, "want a number from 0 to 1"),
		Entry("another slice", decisions.LogitLimit{Statistic: decisions.TopError(7), Limit: 1,
			AtMost: true}, "want 5, 50, 1000, or 0 for all logits"))

	DescribeTable("refuse limits that tell nothing about these runs",
		func(l decisions.LogitLimit, says string) {
			y := set("logits", words(1, 1, 2, 3), "tokens", text(1, 0, 5, 6, 7)) // unlikely tokens follow
			Expect(refuse(decisions.Logits{Limits: decisions.Limits{l}}, y, y)).To(
				MatchError(ContainSubstring(says)))
		},
		Entry("of the expected side alone", decisions.ExpectedPerplexity().AtMost(100),
			"a wrong run, such as constant outputs, would also pass: expected perplexity is 61.6, "+
				"want at most 100"),
		Entry("of a probability that cannot fall so far", decisions.MeanDeltaP().AtLeast(-0.1),
			"a wrong run, such as constant outputs, would also pass: mean Δp"),
		Entry("that the expected run does not meet", decisions.Perplexity().AtMost(20),
			"the expected run itself does not meet the limit: perplexity is 61.6, want at most 20"),
		Entry("of too few positions", decisions.PerplexityCorrelation().AtLeast(0.5),
			"the expected run itself does not meet the limit: perplexity correlation is NaN"),
		Entry("that no equal run meets", decisions.MeanKLD().AtLeast(0.1),
			"the expected run itself does not meet the limit: mean KLD is 0"))

	It("allow limits that one wrong run alone would break", func() {
		y := set("logits", words(1, 1, 2, 3), "tokens", text(1, 0, 5, 6, 7))
		likely := set("logits", words(1, 1, 2, 3), "tokens", text(1, 0, 1, 2, 3))
		for _, l := range []decisions.LogitLimit{decisions.MeanDeltaP().AtLeast(-0.001),
			decisions.MeanDeltaP().AtMost(0.9), decisions.RMSDeltaP().AtMost(0.95),
			decisions.PerplexityRatio().AtLeast(0.5)} {
			Expect(judge(decisions.Logits{Limits: decisions.Limits{l}}, y, y).Pass).To(BeTrue())
		}
		for _, l := range []decisions.LogitLimit{decisions.MeanDeltaP().AtLeast(-0.8),
			decisions.MeanDeltaP().AtMost(0.05)} {
			Expect(judge(decisions.Logits{Limits: decisions.Limits{l}}, likely, likely).Pass).To(BeTrue())
		}
	})

	It("take the error of the greatest expected logits, as AWS slices them", func() {
		expected := make([]float64, 2000)
		for i := range expected {
			expected[i] = float64(len(expected) - i)
		}
		actual := append([]float64{}, expected...)
		for i, by := range map[int]float64{4: 1, 49: 2, 999: 4, 1999: 8} {
			actual[i] += by
		}
		f := judge(decisions.Logits{}, set("y", shaped(tensor.Shape{1, 2000}, actual...)),
			set("y", shaped(tensor.Shape{1, 2000}, expected...)))
		for name, error := range map[string]float64{"error of the top 5 logits": 1,
			"error of the top 50 logits":   2,
			"error of the top 1000 logits": 4, "error of all logits": 8} {
			Expect(measured(f, name)).To(BeNumerically("~", (error-1e-5)/2000, 1e-12), name)
		}
	})

	It("do not depend on how many positions are computed at once", func() {
		c := recorded[llamaCase]("logits.json", 5)[1]
		actual, expected := c.sides()
		first, err := decisions.Judge(decisions.Logits{}, actual, expected)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(runtime.GOMAXPROCS, runtime.GOMAXPROCS(1))
		Expect(fmt.Sprint(judge(decisions.Logits{}, actual[0], expected[0]).Measures)).To(
			Equal(fmt.Sprint(first.Measures)))
	})
})

var _ = It("many leaders are compared, some of them ties", func() {
	row := make([]float64, 3000)
	for i := range row {
		row[i] = float64(i * 7919 % 997) // with ties
	}
	y := shaped(tensor.Shape{1, 3000}, row...)
	Expect(judged(decisions.TopK{K: 300}, y, y).Pass).To(BeTrue())
})
