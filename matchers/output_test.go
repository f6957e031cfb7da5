package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("HaveOutput", func() {
	It("wants the exact name in every iteration", func() {
		both := run(set("logits", f32(1)), set("logits", f32(2)))
		Expect(both).To(HaveOutput("logits"))
		Expect(both).NotTo(HaveOutput("Logits"))
		Expect(both).NotTo(HaveOutput("logit"))
		Expect(run(set("logits", f32(1)), set("other", f32(2)))).NotTo(HaveOutput("logits"))
	})

	It("does not pass on a run of nothing", func() {
		Expect(run()).NotTo(HaveOutput("logits"))
		Expect(run(set())).NotTo(HaveOutput("logits"))
	})

	It("hands the tensor of every iteration to each inner matcher", func() {
		both := run(set("logits", f32(1, 2), "aux", f32(0)), set("logits", f32(3, 4)))
		Expect(both).To(HaveOutput("logits", HaveShape(2), BeFinite()))
		Expect(both).NotTo(HaveOutput("logits", HaveShape(2), HaveShape(1)))
		Expect(run(set("logits", f32(1, 2)), set("logits", f32(3)))).
			NotTo(HaveOutput("logits", HaveShape(2)))
	})

	DescribeTable("says",
		func(say func() string, text string) { Expect(say()).To(Equal(text)) },
		Entry("what there is where the output is missing", func() string {
			return failure(HaveOutput("logits"), run(set("prob", f32(1), "aux", f32(1))))
		}, "Expected an output\n    \"logits\"\namong\n    [\"prob\" \"aux\"], iteration 0"),
		Entry("that there is nothing", func() string {
			return failure(HaveOutput("logits"), run(set()))
		}, "Expected an output\n    \"logits\"\namong\n    no outputs, iteration 0"),
		Entry("which iteration failed, and the inner matcher's text", func() string {
			return failure(HaveOutput("y", HaveShape(2), HaveShape(AnyLength)),
				run(set("y", f32(1, 2)), set("y", f32(3))))
		}, "output \"y\", iteration 1:\nExpected\n    float32[1] [3]\nto have shape\n    [2]"),
		Entry("that an output should not be there", func() string {
			return negated(HaveOutput("y"), run(set("y", f32(1))))
		}, "Expected no output\n    \"y\"\namong\n    [\"y\"], iteration 0"),
		Entry("the inner matcher's negated text", func() string {
			return negated(HaveOutput("y", HaveShape(1)), run(set("y", f32(1))))
		}, "output \"y\", iteration 0:\n"+
			"Expected\n    float32[1] [1]\nnot to have shape\n    [1]"),
		Entry("all inner matchers where several should not hold together", func() string {
			return negated(HaveOutput("y", HaveShape(1), BeFinite()), run(set("y", f32(1))))
		}, "Expected the output\n    \"y\": float32[1] [1]\nnot to satisfy all of\n"+
			"    have shape [1] and be finite"),
	)

	It("passes the inner matcher's misuse on", func() {
		_, err := HaveOutput("y", HaveShape(-3)).Match(run(set("y", f32(1))))
		Expect(err).To(MatchError(ContainSubstring("a length cannot be negative")))
	})

	It("refuses an inner matcher that is nil", func() {
		_, err := HaveOutput("y", BeFinite(), nil).Match(run(set("y", f32(1))))
		Expect(err).To(MatchError(`HaveOutput("y"): a matcher is nil`))
	})

	It("names itself inside composed matchers", func() {
		Expect(HaveOutput("y", HaveShape(1, AnyLength), Equal(3))).To(HaveField("String()",
			`have output "y", which should have shape [1,?] and satisfy *matchers.EqualMatcher`))
	})
})
