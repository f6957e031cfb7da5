package matchers_test

import (
	"errors"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("MatchOutputsWithin", func() {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))

	Describe("numbers", func() {
		expected := func() *backends.Run { return run(set("a", f32(1, 2), "b", f32(10, 20))) }
		actual := func() *backends.Run { return run(set("a", f32(1.01, 2), "b", f32(11, 20))) }

		DescribeTable("use the tolerance of their own output",
			func(m *OutputsMatcher, matches bool) {
				Expect(m.Of(expected()).Match(actual())).To(Equal(matches))
			},
			Entry("wide for all", MatchOutputsWithin(2, 0, Elementwise), true),
			Entry("too narrow for b", MatchOutputsWithin(0.1, 0, Elementwise), false),
			Entry("b has a wider one",
				MatchOutputsWithin(0.1, 0, Elementwise).ForOutput("b", 2, 0, Max), true),
			Entry("b has a narrower one",
				MatchOutputsWithin(2, 0, Elementwise).ForOutput("b", 0.1, 0, Max), false),
			Entry("another statistic", MatchOutputsWithin(0.6, 0, Mean), true),
			Entry("the median of two, too narrow", MatchOutputsWithin(0.4, 0, Median), false),
			Entry("a quantile", MatchOutputsWithin(0.1, 0, Quantile(0)), true),
			Entry("With adds a check, and all must hold",
				MatchOutputsWithin(2, 0, Elementwise).With(compare.ULP(1)), false),
			Entry("any check of compare",
				MatchOutputs(compare.CosineSimilarity(0.99), compare.L2(1.1)), true),
			Entry("any check of compare, for one output", MatchOutputs(compare.L2(0.1)).
				ForOutputWith("b", compare.L2(1.1), compare.CosineSimilarity(0.99)), true),
			Entry("no check at all is equality", MatchOutputs(), false),
		)

		It("without a check must all be equal", func() {
			Expect(expected()).To(MatchOutputs().Of(expected()))
		})
	})

	DescribeTable("switches reach the comparison",
		func(m *OutputsMatcher, actual, expected *tensor.Tensor) {
			plain := MatchOutputsWithin(0.1, 0, Max)
			Expect(plain.Of(expected).Match(actual)).To(BeFalse())
			Expect(m.Of(expected).Match(actual)).To(BeTrue())
		},
		Entry("NaNEqual", MatchOutputsWithin(0.1, 0, Max).Under(compare.Options{NaNEqual: true}),
			f32(nan), f32(nan)),
		Entry("InfinitiesEqual",
			MatchOutputsWithin(0.1, 0, Max).Under(compare.Options{InfinitiesEqual: true}),
			f32(inf), f32(inf)),
		Entry("AnyElementType",
			MatchOutputsWithin(0.1, 0, Max).Under(compare.Options{AnyElementType: true}),
			f32(1), tensor.Of(1.0)),
		Entry("TopK by name", MatchOutputsWithin(0.1, 0, Max).Under(compare.Options{
			TopK: map[string]compare.TopK{"tensor": {K: 1, Axis: -1}}}),
			f32(1, 2, 3), f32(4, 5, 9)),
		Entry("TopK for all", MatchOutputsWithin(0.1, 0, Max).Under(compare.Options{
			TopK: map[string]compare.TopK{"": {K: 1}}}),
			f32(1, 2, 3), f32(4, 5, 9)),
	)

	It("lets nothing be compared under AllowEmpty alone", func() {
		m := MatchOutputs().Under(compare.Options{AllowEmpty: true})
		Expect(f32()).To(m.Of(f32()))
		Expect(f32()).NotTo(m.Of(f32(1)))
		detector := run(set("boxes", f32()), set("boxes", f32(1)))
		Expect(detector).To(MatchOutputs().Of(detector), "one image may be without a box")
	})

	It("permutes or reshapes under AnyShape", func() {
		wide, tall := shaped(f32(1, 2, 3), 1, 3), shaped(f32(1, 2, 3), 3, 1)
		Expect(wide).NotTo(MatchOutputsWithin(0, 0, Max).Of(tall))
		Expect(wide).To(MatchOutputsWithin(0, 0, Max).Under(compare.Options{AnyShape: true}).Of(tall))
	})

	It("fails on what is not finite under Finite, whatever the tolerance", func() {
		m := MatchOutputsWithin(1e300, 0, Elementwise).Of(f32(inf))
		Expect(f32(inf)).To(m.Under(compare.Options{InfinitiesEqual: true}))
		Expect(f32(inf)).NotTo(m.Under(compare.Options{InfinitiesEqual: true, Finite: true}))
	})

	It("averages over iterations under Average", func() {
		m := MatchOutputsWithin(1, 0, Max).Of(run(set("y", f32(0)), set("y", f32(0))))
		spread := run(set("y", f32(0.5)), set("y", f32(1.5)))
		Expect(spread).NotTo(m)
		Expect(spread).To(m.Under(compare.Options{Average: true}))
	})

	It("compares outputs of other names where Names says so", func() {
		m := MatchOutputsWithin(0, 0, Max).Of(set("logits", f32(1), "aux", f32(2)))
		Expect(set("output_0", f32(1), "aux", f32(2))).NotTo(m)
		Expect(set("output_0", f32(1), "aux", f32(2))).To(
			m.Under(compare.Options{Names: map[string]string{"output_0": "logits"}}))
		Expect(set("output_0", f32(1), "aux", f32(2))).To(m.Under(compare.Options{ByPosition: true}))
		expectText("other_names", failure(m, set("output_0", f32(1), "aux", f32(2))))
	})

	DescribeTable("what is not the same is a mismatch, not an error",
		func(actual, expected any) {
			Expect(MatchOutputsWithin(1e300, 1e300, Elementwise).Of(expected).Match(actual)).To(BeFalse())
		},
		Entry("a lost output", set("a", f32(1)), set("a", f32(1), "b", f32(1))),
		Entry("an extra output", set("a", f32(1), "b", f32(1)), set("a", f32(1))),
		Entry("a name in another case", set("A", f32(1)), set("a", f32(1))),
		Entry("another element type", f32(1), tensor.Of(1.0)),
		Entry("another shape of as many elements", shaped(f32(1, 2), 2, 1), f32(1, 2)),
		Entry("0-d against one element", tensor.Scalar[float32](1), f32(1)),
		Entry("fewer iterations", run(set("a", f32(1))), run(set("a", f32(1)), set("a", f32(1)))),
		Entry("more iterations", run(set("a", f32(1)), set("a", f32(1))), run(set("a", f32(1)))),
	)

	DescribeTable("takes every form of outputs on both sides",
		func(same any) { Expect(same).To(MatchOutputsWithin(0, 0, Max).Of(same)) },
		Entry("a run", run(set("a", f32(1)), set("a", f32(2)))),
		Entry("a set", set("a", f32(1))),
		Entry("several sets", []*tensor.Set{set("a", f32(1)), set("a", f32(2))}),
		Entry("a tensor", f32(1, 2)),
	)

	It("holds a tensor, which has no name, to the only output of a run", func() {
		m := MatchOutputsWithin(0, 0, Max)
		Expect(f32(1)).To(m.Of(run(set("y", f32(1)))))
		Expect(run(set("y", f32(1)))).To(m.Of(f32(1)))
		Expect(run(set("y", f32(1)))).NotTo(m.Of(f32(2)))
	})

	DescribeTable("misuse is an error, which fails To and NotTo alike",
		func(m types.GomegaMatcher, actual any, says string) {
			ok, err := m.Match(actual)
			Expect(err).To(MatchError(says))
			Expect(ok).To(BeFalse())
			positive := InterceptGomegaFailure(func() { Expect(actual).To(m) })
			negative := InterceptGomegaFailure(func() { Expect(actual).NotTo(m) })
			Expect(positive).To(MatchError(says))
			Expect(negative).To(MatchError(says))
		},
		Entry("nothing to compare with", MatchOutputsWithin(0, 0, Max), f32(1),
			"MatchOutputsWithin: nothing to compare with: "+
				"add .Of(another run), .OfGolden(name) or .OfFile(path)"),
		Entry("a number as the actual value", MatchOutputsWithin(0, 0, Max).Of(f32(1)), 1.5,
			"MatchOutputsWithin: the actual value: got float64, wanted a *backends.Run, "+
				"a *tensor.Set, a []*tensor.Set or a *tensor.Tensor"),
		Entry("nil as the actual value", MatchOutputsWithin(0, 0, Max).Of(f32(1)), nil,
			"MatchOutputsWithin: the actual value: got nil, wanted a *backends.Run, "+
				"a *tensor.Set, a []*tensor.Set or a *tensor.Tensor"),
		Entry("a nil run as the actual value", MatchOutputsWithin(0, 0, Max).Of(f32(1)),
			(*backends.Run)(nil), "MatchOutputsWithin: the actual value: "+
				"got a nil *backends.Run: a run that failed has no outputs"),
		Entry("a nil run as the expected value",
			MatchOutputsWithin(0, 0, Max).Of((*backends.Run)(nil)), f32(1),
			"MatchOutputsWithin: the expected value: "+
				"got a nil *backends.Run: a run that failed has no outputs"),
		Entry("a nil tensor", MatchOutputsWithin(0, 0, Max).Of((*tensor.Tensor)(nil)), f32(1),
			"MatchOutputsWithin: the expected value: got a nil or zero *tensor.Tensor"),
		Entry("a nil set", MatchOutputsWithin(0, 0, Max).Of(f32(1)), (*tensor.Set)(nil),
			"MatchOutputsWithin: the actual value: got a nil *tensor.Set"),
		Entry("an expected run that failed",
			MatchOutputsWithin(0, 0, Max).Of((*backends.Run)(nil), errors.New("no such input")),
			f32(1), "MatchOutputsWithin: the expected run failed: no such input"),
		Entry("two tolerances", MatchOutputsWithin(0, 0, Max).Within(2, 0, Max).Of(f32(1)), f32(1),
			"MatchOutputsWithin: two tolerances for every output (max: max abs ≤ 0 or max rel ≤ 0 and "+
				"max: max abs ≤ 2 or max rel ≤ 0): keep one, and add the other with "+
				"With(compare.Within(…)) if both must hold"),
		Entry("two tolerances of one output, other checks between them",
			MatchOutputs().ForOutput("tensor", 0, 0, Max).With(compare.ULP(1)).
				ForOutput("tensor", 2, 0, Max).Of(f32(1)), f32(1),
			`MatchOutputs: two tolerances for output "tensor" (max: max abs ≤ 0 or max rel ≤ 0 and `+
				"max: max abs ≤ 2 or max rel ≤ 0): keep one, and add the other with "+
				"ForOutputWith if both must hold"),
		Entry("two sets of options", MatchOutputs().Of(f32(1)).Under(compare.Options{NaNEqual: true}).
			Under(compare.Options{AnyShape: true}), f32(1),
			"MatchOutputs: Under is called twice: put all options into one call"),
		Entry("checks among the options", MatchOutputs().Of(f32(1)).
			Under(compare.Options{Checks: []compare.Check{compare.ULP(1)}}), f32(1),
			"MatchOutputs: the options of Under contain checks: move them to With or ForOutputWith"),
		Entry("no outputs on either side", MatchOutputs().Of(set()), set(),
			"MatchOutputs: compare: iteration 0 has no outputs on either side, so nothing can be "+
				"compared in it"),
		Entry("no iterations on either side", MatchOutputs().Of(run()), run(),
			"MatchOutputs: compare: there is nothing to compare: number of iterations: actual 0, "+
				"expected 0"),
		Entry("nothing but empty outputs", MatchOutputs().Of(f32()), f32(),
			"MatchOutputs: compare: nothing was compared: every output is empty on both sides; "+
				"use inputs for which an output is not empty or, if empty outputs are expected, set "+
				"AllowEmpty"),
		Entry("a check that could not fail", MatchOutputsWithin(math.Inf(1), 0, Max).Of(f32(9)), f32(1),
			`MatchOutputsWithin: compare: max: max abs ≤ +Inf or max rel ≤ 0 proves nothing about `+
				`output "tensor": every number is within an infinite tolerance; set finite tolerances, `+
				"or use Options.Finite to look only for NaN and infinities"),
		Entry("two expected sides", MatchOutputsWithin(0, 0, Max).Of(f32(1)).Of(set()), f32(1),
			"MatchOutputsWithin: there are two expected sides, a tensor and a set of tensors: keep one"),
		Entry("a tensor against two outputs",
			MatchOutputsWithin(0, 0, Max).Of(set("a", f32(1), "b", f32(1))), f32(1),
			"MatchOutputsWithin: the actual value: got a single *tensor.Tensor, but the other side has "+
				`the outputs ["a" "b"] in 1 iteration: pass the whole run, and choose the output with `+
				".Under(compare.Options{Only: []string{NAME}})"),
		Entry("two outputs against a tensor",
			MatchOutputsWithin(0, 0, Max).Of(f32(1)), set("a", f32(1), "b", f32(1)),
			"MatchOutputsWithin: the expected value: got a single *tensor.Tensor, but the other side "+
				`has the outputs ["a" "b"] in 1 iteration: select one output with HaveOutput, or put the `+
				"tensor into a *tensor.Set"),
		Entry("a NaN tolerance", MatchOutputsWithin(math.NaN(), 0, Max).Of(f32(1)), f32(1),
			"MatchOutputsWithin: compare: atol is NaN: "+
				"a tolerance must be zero or positive"),
		Entry("a negative tolerance", MatchOutputsWithin(0, -1, Max).Of(f32(1)), f32(1),
			"MatchOutputsWithin: compare: rtol is -1: "+
				"a tolerance must be zero or positive"),
		Entry("a statistic that there is not", MatchOutputsWithin(0, 0, "mode").Of(f32(1)), f32(1),
			`MatchOutputsWithin: compare: unknown statistic "mode": `+
				`want elementwise, max, mean, median or quantile(q)`),
		Entry("an override for an unknown output",
			MatchOutputs().ForOutput("logit", 0, 0, Max).Of(set("logits", f32(1))),
			set("logits", f32(1)), `MatchOutputs: compare: a check names "logit", `+
				`which matches no output; the outputs are ["logits"]`),
		Entry("an override without a check",
			MatchOutputs().ForOutputWith("y").Of(set("y", f32(1))), set("y", f32(1)),
			`MatchOutputs: ForOutputWith("y") has no check, so it could not fail`),
	)

	It("chains by copy, so that a matcher may be kept and completed in several ways", func() {
		base := MatchOutputsWithin(0, 0, Max).ForOutput("a", 0, 0, Max)
		before := base.Of(set("a", f32(1))).String()
		base.ForOutput("b", 9, 9, Mean)
		base.With(compare.ULP(3))
		base.Under(compare.Options{Only: []string{"b"}})
		Expect(base.Of(set("a", f32(1))).String()).To(Equal(before))

		names := map[string]string{"x": "y"}
		mapped := MatchOutputs().Under(compare.Options{Names: names}).Of(set("y", f32(1)))
		delete(names, "x")
		Expect(set("x", f32(1))).To(mapped)
	})

	It("starts again with every Match, as composed and polling assertions reuse one", func() {
		m := MatchOutputsWithin(0, 0, Max).Of(set("y", f32(1)))
		Expect(m.Match(set("y", f32(2)))).To(BeFalse())
		Expect(m.FailureMessage(nil)).To(ContainSubstring("y"))
		Expect(m.Match(set("y", f32(1)))).To(BeTrue())
		_, err := m.Match(7)
		Expect(err).To(HaveOccurred())
		Expect(set("y", f32(1))).To(And(m, m))
		Expect([]*tensor.Set{set("y", f32(1)), set("y", f32(1))}).To(HaveEach(m))
		Eventually(func() *tensor.Set { return set("y", f32(1)) }).Should(m)
	})

	It("names itself, in composed matchers too, without a value of the expected run", func() {
		m := MatchOutputsWithin(1e-5, 1e-3, Elementwise).ForOutput("logits", 0.1, 0, Max).
			Of(run(set("logits", f32(271828))))
		text := "match onnxruntime 1.31.1 (CPUExecutionProvider), model digits.onnx, " +
			"sha256 0f1e2d3c4b5a within elementwise: abs ≤ 1e-05 or rel ≤ 0.001; " +
			"logits: max: max abs ≤ 0.1 or max rel ≤ 0"
		Expect(m.String()).To(Equal(text))
		Expect(m.GomegaString()).To(Equal(text))
		composed := InterceptGomegaFailure(func() {
			Expect(run(set("logits", f32(271828)))).NotTo(And(m, m))
		})
		Expect(composed).To(MatchError(ContainSubstring(text)))
		each := InterceptGomegaFailure(func() {
			Expect([]any{run(set("logits", f32(1)))}).To(ContainElement(m))
		})
		Expect(each).To(MatchError(And(ContainSubstring(text), Not(ContainSubstring("271828")))))
	})

	It("refuses to report to nothing", func() {
		_, err := MatchOutputs().Of(f32(1)).ReportTo(nil).Match(f32(1))
		Expect(err).To(MatchError("MatchOutputs: a function passed to ReportTo is nil"))
	})

	It("reports every outcome to who asked for it", func() {
		var outcomes []compare.Pair
		m := MatchOutputs().Of(set("y", f32(1))).
			ReportTo(func(o compare.Pair) { outcomes = append(outcomes, o) })
		Expect(set("y", f32(1))).To(m)
		Expect(set("y", f32(nan))).NotTo(m)
		_, err := m.Match(7)
		Expect(err).To(HaveOccurred())
		Expect(outcomes).To(HaveExactElements(
			HaveField("Report.Verdict", compare.Pass), HaveField("Report.Verdict", compare.Fail)))
	})
})
