package fake_test

import (
	"context"
	"errors"
	"math"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/tensor"
)

// echo is a function that an engine may be made of.
func echo(_ context.Context, in *tensor.Set) (*tensor.Set, error) { return in, nil }

func TestEveryOptionPrintsItselfAsGo(t *testing.T) {
	skips.Long(t)
	one := tensor.Of[float32](1)
	enginetest.Printed(t,
		fake.Engine(),
		fake.Engine(fake.Echo(), fake.Named("a \"fake\"")),
		fake.Engine(fake.Echo(), fake.NaN("y"), fake.Set("y", 1, math.Inf(-1)),
			fake.Set("y", 2, math.Inf(1)), fake.Set("y", 3, math.Copysign(0, -1)),
			fake.Set("y", 4, 1e-3)),
		fake.Engine(fake.Outputs()), fake.Engine(fake.Error(errors.New("x"))),
		fake.Engine(fake.Opens(nil)), fake.Engine(fake.Func(echo), fake.Inside(echo), fake.Named("b")),
		fake.Engine(fake.Output("y", one)),
	)
	NewWithT(t).Expect(fake.Engine(fake.Func(echo), fake.Named("b")).GoString()).To(Equal(
		`fake.Engine(fake.Named("b") /* left out: fake.Func(a function) */)`))
}

var _ = Describe("A fake engine", func() {
	It("is a value", func() {
		Expect(fake.Engine(fake.NaN("y"), fake.Echo(), fake.Named("fake"))).To(BeIdenticalTo(
			fake.Engine(fake.Echo(), fake.NaN("y"))))
		Expect(fake.Engine(fake.NaN("y"), fake.Set("y", 0, 1))).NotTo(Equal(
			fake.Engine(fake.Set("y", 0, 1), fake.NaN("y"))), "spoilers keep their order")
		made := fake.Engine(fake.Func(echo))
		kept := made
		Expect(kept).To(BeIdenticalTo(made))
		Expect(kept).NotTo(BeIdenticalTo(fake.Engine(fake.Func(echo))), "functions cannot be compared")
	})

	It("opens without a model, and is the subject of its runs", func(ctx SpecContext) {
		set, err := tensor.NewSet(entry("x", tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		e := fake.Engine(fake.Echo(), fake.Set("x", 0, math.NaN()))
		run, err := backends.RunIn(ctx, e, nil, fixtures.Of(set))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Subject().Engine).To(BeIdenticalTo(e))
		Expect(run.Outputs()[0].At(0).Tensor.GomegaString()).To(Equal("float32[1] [NaN]"))
	})

	It("opens what its function gives", func(ctx SpecContext) {
		inner := fake.New(fake.Echo())
		opens := fake.Opens(func(context.Context, fixtures.Declaration, fixtures.Inputs) (
			backends.Backend, error) {
			return inner, nil
		})
		Expect(fake.Engine(opens).Open(ctx, nil, fixtures.Inputs{})).To(BeIdenticalTo(inner))
		_, err := fake.New(opens).Run(ctx, fixtures.Inputs{})
		Expect(err).To(MatchError("fake: fake.Opens works only with fake.Engine"))
		_, err = fake.Engine(opens, fake.Echo()).Open(ctx, nil, fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("drop them, or drop fake.Opens")))
	})

	It("tells what is wrong with its options", func(ctx SpecContext) {
		_, err := fake.New(fake.Named("\xff")).Run(ctx, fixtures.Inputs{})
		Expect(err).To(MatchError(`fake: fake.Named("\xff"): "\xff" is not valid UTF-8`))
	})
})
