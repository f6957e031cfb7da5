package matchers_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// scale is an engine that multiplies x; 0 refuses.
type scale float64

func (s scale) Text() string     { return s.String() }
func (s scale) String() string   { return "scale " + tensor.Of(float64(s)).String() }
func (s scale) GoString() string { return "scale()" }

func (s scale) Open(context.Context, fixtures.Declaration, fixtures.Inputs) (
	backends.Backend, error) {
	if s == 0 {
		return nil, errors.New("no scale")
	}
	return scales{s}, nil
}

type scales struct{ scale }

func (s scales) Close() error { return nil }

func (s scales) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	of := backends.Subject{Engine: s.scale, Model: declared{}}
	return backends.Collect(ctx, backends.Provenance{Backend: s.String()}, of, inputs,
		func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			x, _ := in.Get("x")
			y := x.Float64s()
			for i := range y {
				y[i] *= float64(s.scale)
			}
			return set("y", tensor.Of(y...)), nil
		})
}

// declared is a model by name alone.
type declared struct{}

func (declared) Name() string                     { return "declared" }
func (declared) Inputs() ([]loaders.Value, error) { return nil, nil }

var _ = Describe("AgreeAmong", func() {
	made := func(ctx context.Context, s scale) (*backends.Run, error) {
		return backends.RunIn(ctx, s, declared{}, fixtures.Of(set("x", f32(1, 2, 3))))
	}

	It("succeeds where all engines agree", func(ctx SpecContext) {
		Expect(made(ctx, 1)).To(AgreeAmong(scale(1), scale(1.00001)).Within(0, 1e-4, Elementwise))
		Expect(made(ctx, 1)).To(AgreeAmong(scale(1)))
		Expect(made(ctx, 1)).NotTo(AgreeAmong(scale(1), scale(1.00001)))
		Expect(made(ctx, 1)).To(AgreeAmong(scale(1.1)).With(compare.CosineSimilarity(0.999)))
	})

	It("names the engine that stands apart, be it the actual one", func(ctx SpecContext) {
		run, err := made(ctx, 2)
		Expect(err).NotTo(HaveOccurred())
		m := AgreeAmong(scale(1), scale(1.00001)).Within(0, 1e-4, Elementwise)
		message := failure(m, run)
		Expect(message).To(HavePrefix("Expected\n    " + scale(2).String()))
		Expect(message).To(ContainSubstring("to agree with " + scale(1).String()))
		Expect(message).To(ContainSubstring("y: " + scale(2).String() + " disagrees with the majority: " +
			scale(1).String() + " and " + scale(1.00001).String() + " agree"))
	})

	It("says that a tie is one", func(ctx SpecContext) {
		run, err := made(ctx, 2)
		Expect(err).NotTo(HaveOccurred())
		Expect(failure(AgreeAmong(scale(1)), run)).To(ContainSubstring(
			"differ; add a third engine to see which one it agrees with"))
	})

	It("says that all agree who should not", func(ctx SpecContext) {
		run, err := made(ctx, 1)
		Expect(err).NotTo(HaveOccurred())
		m := AgreeAmong(scale(1))
		Expect(m.Match(run)).To(BeTrue())
		Expect(m.NegatedFailureMessage(run)).To(And(ContainSubstring("not to agree with"),
			ContainSubstring("but all 2 engines agree within")))
		Expect(m.String()).To(HavePrefix("agree with scale"))
	})

	DescribeTable("misuse is an error",
		func(ctx SpecContext, actual any, m *AgreementMatcher, expected string) {
			_, err := m.Match(actual)
			Expect(err).To(MatchError(And(HavePrefix("AgreeAmong: "), ContainSubstring(expected))))
		},
		Entry("no engine", run(), AgreeAmong(), "no engine to agree with"),
		Entry("no run", f32(1), AgreeAmong(scale(1)), "got *tensor.Tensor, wanted a *backends.Run"),
		Entry("a nil run", (*backends.Run)(nil), AgreeAmong(scale(1)), "wanted a *backends.Run"),
		Entry("a run from a file", run(set("y", f32(1))), AgreeAmong(scale(1)),
			"the run was read from a file"),
		Entry("two tolerances", run(), AgreeAmong(scale(1)).Within(1, 1, Max).Within(2, 2, Max),
			"two tolerances for every output"),
	)

	It("is an error where an engine does not run the model", func(ctx SpecContext) {
		actual, err := made(ctx, 1)
		Expect(err).NotTo(HaveOccurred())
		_, err = AgreeAmong(scale(1), scale(0)).Match(actual)
		Expect(err).To(MatchError(ContainSubstring("cannot run the model: no scale")))
	})
})
