package matchers_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
)

var _ = Describe("A run of an earlier spec", func() {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8))
	ended := errors.New("spec has finished")
	try := func(run *backends.Run, err error) *backends.Run {
		GinkgoHelper()
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	earlier := func(ctx SpecContext) *backends.Run {
		spec, cancel := context.WithCancelCause(ctx)
		defer cancel(ended)
		return try(ort.Run(spec, model, inputs))
	}

	BeforeEach(func() {
		ort.Require(GinkgoT())
		GinkgoT().Setenv(noise.CacheVariable, GinkgoT().TempDir())
	})

	DescribeTable("is a reference for what runs further",
		func(ctx SpecContext, of func(any) types.GomegaMatcher) {
			reference, later := earlier(ctx), try(ort.Run(ctx, model, inputs))
			_, err := of(reference).Match(earlier(ctx))
			Expect(err).To(MatchError(And(ContainSubstring("spec has finished"),
				HaveSuffix("give the run the spec's context with run.Under(ctx)"))))
			Expect(err).To(MatchError(ended))

			Expect(later).To(of(reference))
			Expect(earlier(ctx)).To(of(later))
			Expect(reference).To(of(reference.Under(ctx)))
		},
		Entry("NoWorseThan", func(of any) types.GomegaMatcher {
			return NoWorseThan(precision.FP16).Of(of)
		}),
		Entry("MatchWithinNoise", func(of any) types.GomegaMatcher { return MatchWithinNoise().Of(of) }),
		Entry("MatchWithinNoise in another engine", func(of any) types.GomegaMatcher {
			return MatchWithinNoise().MeasuredIn(ort.Engine(ort.Threads(1))).Of(of)
		}))

	DescribeTable("alone is run again under the spec's context",
		func(ctx SpecContext, m types.GomegaMatcher) {
			_, err := m.Match(earlier(ctx))
			Expect(err).To(MatchError(And(ContainSubstring("the run's context has ended"),
				HaveSuffix("give the run the spec's context with run.Under(ctx)"))))
			Expect(earlier(ctx).Under(ctx)).To(m)
		},
		Entry("AgreeAmong", AgreeAmong(ort.Engine()).Within(1e-3, 1e-3, Elementwise)),
		Entry("BeRepeatable", BeRepeatable(2)))
})
