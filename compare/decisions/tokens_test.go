package decisions_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Tokens", func() {
	e := func() *tensor.Tensor { return shaped[int64](tensor.Shape{2, 4}, 1, 2, 3, 4, 5, 6, 7, 8) }
	a := func() *tensor.Tensor { return shaped[int64](tensor.Shape{2, 4}, 1, 2, 0, 4, 5, 6, 7, 8) }

	It("show both continuations from the first difference on", func() {
		f := judged(decisions.Tokens{}, a(), e())
		Expect(counts(f)).To(Equal([]int{2, 1, 0}))
		Expect(f.Flips[0].String()).To(Equal("sequence 0, place 2: 0 4, expected 3 4"))
		Expect(judged(decisions.Tokens{Flips: 0.5}, a(), e()).Pass).To(BeTrue())
	})

	It("of different lengths have a report without statistics of their numbers", func() {
		longer := shaped[int64](tensor.Shape{1, 5}, 1, 2, 3, 4, 5)
		shorter := shaped[int64](tensor.Shape{1, 3}, 1, 2, 4)
		report := judged(decisions.Tokens{}, longer, shorter).Report([]*tensor.Set{set("y", longer)},
			[]*tensor.Set{set("y", shorter)})
		Expect(report.Text()).To(ContainSubstring("int64[1,5] against int64[1,3]"))
		Expect(report.Outputs[0].Statistics().Mismatches).To(Equal(-1))
	})

	It("are excused where the logits nearly decided otherwise", func() {
		logits := make([]float64, 2*2*9) // of the last two places
		logits[0], logits[3] = 4.9, 5
		sides := func(t *tensor.Tensor) []*tensor.Set {
			return []*tensor.Set{set("ids", t, "logits", shaped(tensor.Shape{2, 2, 9}, logits...))}
		}
		for margin, pass := range map[float64]bool{0.05: false, 0.2: true} {
			f, err := decisions.Judge(decisions.Tokens{Output: "ids", Logits: "logits", Margin: margin},
				sides(a()), sides(e()))
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Pass).To(Equal(pass))
			Expect(f.Flips[0].Margin).To(BeNumerically("~", 0.1, 1e-12))
		}
		prompt := shaped[int64](tensor.Shape{2, 4}, 0, 2, 3, 4, 5, 6, 7, 8)
		f, err := decisions.Judge(decisions.Tokens{Output: "ids", Logits: "logits", Margin: 100},
			sides(prompt), sides(e()))
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Pass).To(BeFalse(), "nothing excuses another prompt")
	})

	It("tell where each token ranks on the other side", func() {
		side := func(tokens *tensor.Tensor, rows ...float64) []*tensor.Set {
			return []*tensor.Set{set("tokens", tokens, "logits", shaped(tensor.Shape{1, 3, 4}, rows...))}
		}
		e := side(text(1, 9, 1, 2, 3), 0, 5, 0, 0, 0, 1, 5, 4.5, 0, 0, 0, 5)
		a := side(text(1, 9, 1, 3, 0), 0, 5, 0, 0, 4, 1, 3, 5, 5, 0, 0, 0)
		judge := func(r decisions.Tokens) *decisions.Findings {
			GinkgoHelper()
			f, err := decisions.Judge(r, a, e)
			Expect(err).NotTo(HaveOccurred())
			return f
		}
		f := judge(decisions.Tokens{})
		Expect(f.Flips[0].String()).To(Equal(
			"sequence 0, place 2: 3 0, expected 2 3 (margin 0.5)"))
		Expect(f.Notes).To(Equal([]string{"sequence 0, place 2: token 3 has rank 2 in the expected " +
			"logits, token 2 has rank 3 in the actual logits"}))
		Expect(judge(decisions.Tokens{Margin: 0.5}).Pass).To(BeTrue())
		Expect(judge(decisions.Tokens{Top: 3}).Pass).To(BeTrue())
		Expect(judge(decisions.Tokens{Top: 2}).Pass).To(BeFalse())
		Expect(refused(decisions.Tokens{Top: -1}, text(1, 1), text(1, 1))).To(
			MatchError(ContainSubstring("want 1 or more")))
	})

	It("read the greatest logits where no others are kept", func() {
		side := func(tokens *tensor.Tensor, values, top []float64) []*tensor.Set {
			ids := make([]int64, len(top))
			for i, v := range top {
				ids[i] = int64(v)
			}
			return []*tensor.Set{set("tokens", tokens,
				"logits.top_values", shaped(tensor.Shape{1, 1, 2}, values...),
				"logits.top_tokens", shaped(tensor.Shape{1, 1, 2}, ids...))}
		}
		e := side(text(1, 9, 1), []float64{5, 4.5}, []float64{1, 3})
		near := side(text(1, 9, 3), []float64{5, 4.5}, []float64{3, 1})
		far := side(text(1, 9, 2), []float64{5, 4.5}, []float64{2, 7})
		f, err := decisions.Judge(decisions.Tokens{Margin: 0.5}, near, e)
		Expect(err).NotTo(HaveOccurred())
		Expect(counts(f)).To(Equal([]int{1, 0, 1}))
		f, err = decisions.Judge(decisions.Tokens{Margin: 0.5, Top: 2}, far, e)
		Expect(err).NotTo(HaveOccurred())
		Expect(counts(f)).To(Equal([]int{1, 1, 0}))
		Expect(f.Notes).To(Equal([]string{"sequence 0, place 1: token 2 is outside the top 2 in the " +
			"expected logits, token 1 is outside the top 2 in the actual logits"}))
	})

	It("are compared to the last bit", func() {
		a, e := tensor.Of[int64](1<<53+1, 7), tensor.Of[int64](1<<53, 7)
		Expect(judged(decisions.Tokens{}, a, e).Flips[0].String()).To(
			Equal("sequence 0, place 0: 9007199254740993 7, expected 9007199254740992 7"))
		Expect(judged(decisions.Mask{}, shaped[int64](tensor.Shape{1, 2}, 1<<53+1, 7),
			shaped[int64](tensor.Shape{1, 2}, 1<<53, 7)).Unexcused).To(Equal(1))
		Expect(judged(decisions.Tokens{}, tensor.Of[uint64](1<<64-1, 7), tensor.Of[int64](-1, 7)).Reason).
			To(Equal(`the actual "y": element 0 is 18446744073709551615, which is beyond int64`))
	})

	It("may have another length, and end with a token", func() {
		shorter := tensor.Of[int64](1, 2, 3)
		f := judged(decisions.Tokens{}, shorter, tensor.Of[int64](1, 2, 3, 4))
		Expect(f.Flips[0].String()).To(Equal("sequence 0, place 3: the end, expected 4"))
		Expect(judged(decisions.Tokens{Ends: []int{3}}, tensor.Of[int64](1, 2, 3, 0, 0),
			tensor.Of[int64](1, 2, 3, 4)).Pass).To(BeTrue())
	})

	It("refuse a sequence of nothing, numbers and margins of nothing", func() {
		Expect(refused(decisions.Tokens{}, tensor.Of[int64](), tensor.Of[int64]())).To(
			MatchError(ContainSubstring("there is nothing to compare")))
		Expect(refused(decisions.Tokens{}, tensor.Of(1.), tensor.Of(1.))).To(
			MatchError(ContainSubstring("want integers")))
		Expect(refused(decisions.Tokens{Margin: 1}, e(), e())).To(
			MatchError(ContainSubstring("Margin and Top need logits")))
	})
})

var _ = Describe("Text", func() {
	texts := func(all ...string) *tensor.Tensor {
		GinkgoHelper()
		t, err := tensor.FromStrings(tensor.Shape{len(all)}, all)
		Expect(err).NotTo(HaveOccurred())
		return t
	}

	It("is excused up to a character error rate", func() {
		a, e := texts("colour", "größe"), texts("color", "Größe")
		f := judged(decisions.Text{Errors: 0.2}, a, e)
		Expect(counts(f)).To(Equal([]int{2, 0, 2}))
		Expect(measured(f, "character error rate")).To(Equal(0.2))
		f = judged(decisions.Text{}, a, e)
		Expect(f.Unexcused).To(Equal(2))
		Expect(f.Flips[0].String()).To(
			Equal(`text 0: "colour", expected "color", 20 % of the characters wrong`))
	})

	It("refuses texts of nothing, and numbers", func() {
		Expect(refused(decisions.Text{}, texts("x"), texts(""))).To(
			MatchError(ContainSubstring("every text of the expected \"y\" is empty")))
		Expect(refused(decisions.Text{}, texts("x"), tensor.Of(1.))).To(
			MatchError(ContainSubstring("want strings")))
		Expect(judged(decisions.Text{}, tensor.Of(1.), texts("x")).Reason).To(
			Equal(`"y" contains float64, expected string`))
	})
})
