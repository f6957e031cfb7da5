package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the matchers of relations", func() {
	contradicts := func(ctx SpecContext, f fickle.Fault) *backends.Run {
		GinkgoHelper()
		run, err := backends.RunIn(ctx, fickle.Engine(f), fickle.Model{}, fickle.Inputs(2, 3))
		Expect(err).NotTo(HaveOccurred())
		return run
	}

	It("take an engine that does not contradict itself", func(ctx SpecContext) {
		Expect(contradicts(ctx, fickle.None)).To(And(BeBatchInvariant(), BeRowIndependent(),
			BeRepeatable(3), BeThreadInvariant(), BePaddingInvariant(1, "mask"), BeOrderInvariant(),
			BeInvariantUnder(relations.Scaled(2))))
	})

	DescribeTable("refuse the fault that each is for",
		func(ctx SpecContext, f fickle.Fault, m *RelationMatcher, message string) {
			run := contradicts(ctx, f)
			Expect(run).NotTo(m)
			expectText(message, failure(m, run))
		},
		Entry("a row that leaks", fickle.RowLeak, BeRowIndependent(), "relation_rows"),
		Entry("a batch of 7", fickle.OneShape, BeBatchInvariant(), "relation_batch"),
		Entry("a stale buffer", fickle.StaleBuffer, BeRepeatable(3), "relation_repeat"),
		Entry("threads", fickle.ByThreads, BeThreadInvariant(), "relation_threads"),
		Entry("padding", fickle.PaddingLeak, BePaddingInvariant(1, "mask"), "relation_padding"),
		Entry("the place of a row", fickle.ByIndex, BeOrderInvariant().Along("*", 0),
			"relation_order"),
		Entry("a magnitude", fickle.OneMagnitude, BeInvariantUnder(relations.Scaled(8)),
			"relation_under"),
	)

	It("allow a tolerance, and batches of other sizes", func(ctx SpecContext) {
		run := contradicts(ctx, fickle.OneShape)
		Expect(run).To(BeBatchInvariant().Sizes(1, 2, 8))
		Expect(run).To(BeBatchInvariant().Within(0.1, 0, Max))
		Expect(run).NotTo(BeBatchInvariant().Within(1e-6, 0, Max))
		Expect(run).NotTo(BeBatchInvariant())
	})

	It("hold the run that is given to further ones", func(ctx SpecContext) {
		run := contradicts(ctx, fickle.None)
		tampered, err := run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
			y, _ := set.Get("pooled")
			values, err := tensor.Values[float32](y)
			if err != nil {
				return nil, err
			}
			other := append([]float32{}, values...)
			other[0] += 1
			t, err := tensor.New(y.Shape(), other)
			if err != nil {
				return nil, err
			}
			return tensor.NewSet(tensor.Entry{Name: "pooled", Tensor: t})
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(failure(BeRepeatable(2), tampered)).To(
			ContainSubstring(
				`in a new run, compared with the given outputs: output "pooled": 1 of 8 elements differ`))
	})

	DescribeTable("are errors where nothing can be judged",
		func(ctx SpecContext, m types.GomegaMatcher, actual func(SpecContext) any, why string) {
			_, err := m.Match(actual(ctx))
			Expect(err).To(MatchError(ContainSubstring(why)))
		},
		Entry("a tensor", BeBatchInvariant(), func(SpecContext) any { return f32(1) },
			"be batch invariant: got *tensor.Tensor, wanted a *backends.Run"),
		Entry("a nil run", BeBatchInvariant(), func(SpecContext) any { return (*backends.Run)(nil) },
			"wanted a *backends.Run"),
		Entry("a run from a file", BeRepeatable(2), func(SpecContext) any {
			return run(set("y", f32(1)))
		}, "the run was read from a file"),
		Entry("one run", BeRepeatable(1), func(ctx SpecContext) any {
			return contradicts(ctx, fickle.None)
		}, "there is nothing to compare; ask for 2 or more"),
		Entry("an unknown mask", BePaddingInvariant(1, "no"), func(ctx SpecContext) any {
			return contradicts(ctx, fickle.None)
		}, `be padding invariant: not judged: the model has no input "no"`),
	)
})

var _ = Describe("the matchers of an engine against itself", func() {
	It("take ONNX Runtime, and refuse an engine without levels", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
		inputs := fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8))
		Expect(ort.Run(ctx, model, inputs)).To(And(BeLevelInvariant(), BeMarkingInvariant(),
			BeRebuildable(2)))
		fixed, err := backends.RunIn(ctx, fickle.Engine(fickle.None), fickle.Model{},
			fickle.Inputs(2, 3))
		Expect(err).NotTo(HaveOccurred())
		_, err = BeLevelInvariant().Match(fixed)
		Expect(err).To(MatchError(ContainSubstring("has no optimisation levels")))
		_, err = BeMarkingInvariant().Match(fixed)
		Expect(err).To(MatchError(ContainSubstring("marking runs ONNX models, got net")))
	})
})

var _ = Describe("AgreeAcross", func() {
	It("compares a run with a release in another process", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		ort.Require(GinkgoT(), ort.Release("1.24.4"))
		digits := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
		Expect(ort.Run(ctx, digits, fixtures.Random(digits))).To(AgreeAcross("1.24.4"))

		model := loaders.ONNXBytes("softcap.onnx", onnxtest.Softcap().Bytes())
		run, err := ort.Run(ctx, model, fixtures.Random(model))
		Expect(err).NotTo(HaveOccurred())
		now := run.Provenance.Version
		Expect(run).To(AgreeAcross("1.24.4", now).Within(10, 0, Elementwise))
		Expect(failure(AgreeAcross("1.24.4", now).Locating(), run)).To(SatisfyAll(
			HavePrefix("Expected softcap.onnx in onnxruntime to agree across the releases 1.24.4, "+now+
				" within noise"),
			ContainSubstring("in release 1.24.4, compared with onnxruntime "+now),
			ContainSubstring("\n    differ: 1.24.4; agree: "+now+"\n"),
			ContainSubstring(`Attention "attend" (node 1)`)))
	})

	It("is an error where no release can be run", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		digits := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
		run, err := ort.Run(ctx, digits, fixtures.Random(digits))
		Expect(err).NotTo(HaveOccurred())
		_, err = AgreeAcross("1.20").Match(run)
		Expect(err).To(MatchError(ContainSubstring("unknown release 1.20 of onnxruntime")))
		GinkgoT().Setenv("XDG_CACHE_HOME", GinkgoT().TempDir())
		GinkgoT().Setenv("HOME", GinkgoT().TempDir())
		_, err = AgreeAcross("1.25.1").Match(run)
		Expect(err).To(MatchError(And(ContainSubstring("not judged: in release 1.25.1: "),
			ContainSubstring("setup --release onnxruntime=1.25.1`, which leaves modelparity.lock "+
				"unchanged"))))
		other, err := backends.RunIn(ctx, fickle.Engine(fickle.None), fickle.Model{}, fickle.Inputs(2, 3))
		Expect(err).NotTo(HaveOccurred())
		_, err = AgreeAcross("1.24.4").Match(other)
		Expect(err).To(MatchError(ContainSubstring("has no releases to choose from")))
	})
})
