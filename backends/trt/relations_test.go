//go:build linux && cgo

package trt_test

import (
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/relations"
)

// The mock is told to contradict itself.
var _ = Describe("relations in the mock", Label("mock"), func() {
	check := func(ctx SpecContext, fail string, r relations.Relation,
		options ...trt.Option) *relations.Report {
		GinkgoHelper()
		setenv("MOCK_TRT_FAIL", fail)
		model := chain("chain.onnx", 1, 4)
		report, err := relations.Check(ctx, backends.Subject{
			Engine: trt.Engine(on(mock(10, 6), options...)...), Model: model,
			Inputs: fixtures.Random(model)}, relations.Options{}, r)
		Expect(err).NotTo(HaveOccurred())
		return report
	}

	It("hold where it does not", func(ctx SpecContext) {
		text := &log{}
		report := check(ctx, "", relations.Repeat(2), trt.Log(text, slog.LevelDebug))
		Expect(report.Holds()).To(BeTrue(), report.Text())
		Expect(report.Text()).To(ContainSubstring("2 sessions at once, 3 alternating streams"))
		// The first inference of the context has no stream before it; the other five have.
		Expect(countOf(text.String(), "mock: an inference in another stream")).To(Equal(5))
		Expect(check(ctx, "", relations.Rebuild(3)).Holds()).To(BeTrue())
	})

	It("name the stream that differs", func(ctx SpecContext) {
		report := check(ctx, "stream", relations.Repeat(2))
		Expect(report.Primary()).NotTo(BeNil(), report.Text())
		Expect(report.Primary().Breach.How).To(Equal("in run 2 of one session, on 3 alternating " +
			"streams, after a run of other inputs"))
	})

	It("name the layer for which another build took another tactic", func(ctx SpecContext) {
		report := check(ctx, "waver", relations.Rebuild(3))
		Expect(report.Primary()).NotTo(BeNil(), report.Text())
		Expect(report.Primary().Breach.How).To(Equal("in build 2, compared with the first"))
		Expect(report.Primary().Breach.Blame).To(MatchRegexp(`^layer "relu": implementation ` +
			`2147483649, tactic 0x[0-9a-f]+; in the first build implementation 2147483648, tactic ` +
			`0x[0-9a-f]+$`))
	})

	// inputs of 4 elements, in a model with one free dimension
	profiled := func(ctx SpecContext, fail string, options ...trt.Option) *relations.Report {
		GinkgoHelper()
		setenv("MOCK_TRT_FAIL", fail)
		model := chain("chain.onnx", 1, "n")
		report, err := relations.Check(ctx, backends.Subject{
			Engine: trt.Engine(on(mock(10, 6), options...)...), Model: model,
			Inputs: fixtures.Random(model, fixtures.Shape("x", 4))},
			relations.Options{Rule: relations.Rule{Checks: []compare.Check{compare.ULP(0)}}},
			relations.Profiles())
		Expect(err).NotTo(HaveOccurred())
		return report
	}

	It("hold in every profile, and list them", func(ctx SpecContext) {
		report := profiled(ctx, "")
		Expect(report.Holds()).To(BeTrue(), report.Text())
		Expect(report.Text()).To(ContainSubstring("7 other builds: the profile x:[4]:[4]:[4]; " +
			"the profile x:[1]:[4]:[8]; the profile x:[1]:[1]:[4]; the profile x:[4]:[8]:[8]; " +
			"profile 0 of 2, x:[1]:[1]:[4]; profile 1 of 2, x:[4]:[8]:[8]; fixed shapes"))
		report = profiled(ctx, "", trt.Profile(trt.Range("x", []int{2}, []int{3}, []int{5})),
			trt.ProfileIndex(0))
		Expect(report.Text()).To(ContainSubstring("the profile x:[2]:[4]:[5]; "))
	})

	It("name the profile that computes otherwise", func(ctx SpecContext) {
		report := profiled(ctx, "opt")
		Expect(report.Primary()).NotTo(BeNil(), report.Text())
		Expect(report.Primary().Breach.How).To(
			Equal("with the profile x:[4]:[8]:[8], compared with the engine's own profile"))
		Expect(report.Primary().Breach.Blame).To(Equal("2 of 7 other builds differ: " +
			"the profile x:[4]:[8]:[8]; profile 1 of 2, x:[4]:[8]:[8]"))
		report = profiled(ctx, "second")
		Expect(report.Primary()).NotTo(BeNil(), report.Text())
		Expect(report.Primary().Breach.Blame).To(Equal("1 of 7 other builds differ: " +
			"profile 1 of 2, x:[4]:[8]:[8]"))
	})

	It("are a matcher's, which names the profile", func(ctx SpecContext) {
		model := chain("chain.onnx", 1, "n")
		run, err := trt.Run(ctx, model, fixtures.Random(model, fixtures.Shape("x", 4)),
			on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
		same := matchers.BeProfileInvariant().Within(1e-6, 0, matchers.Max)
		Expect(run).To(same)
		setenv("MOCK_TRT_FAIL", "opt")
		Expect(same.Match(run)).To(BeFalse())
		Expect(same.FailureMessage(run)).To(And(
			ContainSubstring("to compute the same results with every profile"),
			ContainSubstring("with the profile x:[4]:[8]:[8], compared with")))
	})

	It("are powerless if no profile can vary", func(ctx SpecContext) {
		refused := check(ctx, "", relations.Profiles()).Refused()
		Expect(refused).NotTo(BeNil())
		Expect(refused.Refused).To(ContainSubstring(
			"the model has no dynamic dimension; export it with symbolic dimensions"))
		refused = profiled(ctx, "", trt.Profile(trt.Range("x", []int{4}, []int{4},
			[]int{4}))).Refused()
		Expect(refused).NotTo(BeNil())
		Expect(refused.Refused).To(ContainSubstring("build the engine for a range of shapes"))
	})

	It("refuse fewer streams than one", func(ctx SpecContext) {
		_, err := build(ctx, mock(10, 6), trt.Streams(0))
		Expect(err).To(MatchError(ContainSubstring("the number of streams must be 1 or more, got 0")))
	})
})
