package fake_test

import (
	"context"
	"errors"
	"math"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

func TestFake(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/fake")
}

func entry(name string, t *tensor.Tensor) tensor.Entry {
	return tensor.Entry{Name: name, Tensor: t}
}

// once runs a fake over one iteration and gives its outputs, each as "name: text".
func once(ctx context.Context, options ...fake.Option) ([]string, error) {
	set, err := tensor.NewSet(entry("x", tensor.Of[float32](1, 2)))
	if err != nil {
		return nil, err
	}
	run, err := fake.New(options...).Run(ctx, fixtures.Of(set))
	if err != nil {
		return nil, err
	}
	var texts []string
	for name, t := range run.Iterations()[0].Outputs.All() {
		texts = append(texts, name+": "+t.GomegaString())
	}
	return texts, nil
}

var _ = Describe("A fake", func() {
	y := fake.Output("y", tensor.Of[float32](1, 2, 3))
	two := fake.Outputs(entry("y", tensor.Of[float32](1, 2)), entry("n", tensor.Of[int64](7)))

	DescribeTable("gives what it was told to", func(ctx SpecContext, expected []string,
		options ...fake.Option) {
		Expect(once(ctx, options...)).To(Equal(expected))
	},
		Entry("one output", []string{"y: float32[3] [1 2 3]"}, y),
		Entry("outputs in order", []string{"y: float32[2] [1 2]", "n: int64[1] [7]"}, two),
		Entry("its inputs", []string{"x: float32[2] [1 2]"}, fake.Echo()),
		Entry("a value", []string{"y: float32[3] [1 9 3]"}, y, fake.Set("y", 1, 9)),
		Entry("a NaN", []string{"y: float32[3] [NaN 2 3]"}, y, fake.NaN("y")),
		Entry("an infinity in float16", []string{"y: float16[1] [-Inf]"},
			fake.Output("y", tensor.Of(float16.Fromfloat32(1))), fake.Set("y", 0, math.Inf(-1))),
		Entry("a bfloat16", []string{"y: bfloat16[1] [3]"},
			fake.Output("y", tensor.Of(tensor.BF16FromFloat32(1))), fake.Set("y", 0, 3)),
		Entry("spoilt in order", []string{"y: float32[3] [6 2 3]"},
			y, fake.Set("y", 0, 5), fake.Set("y", 0, 6)),
		Entry("with the zero option", []string{"y: float32[3] [1 2 3]"}, y, fake.Option{}),
	)

	DescribeTable("fails when", func(ctx SpecContext, expected string, options ...fake.Option) {
		_, err := once(ctx, options...)
		Expect(err).To(MatchError(ContainSubstring(expected)))
	},
		Entry("it has nothing to give", "the fake has no outputs; pass fake.Outputs, fake.Func or "+
			"fake.Echo"),
		Entry("it is told to", "fake: iteration 0: out of order",
			fake.Error(errors.New("out of order"))),
		Entry("an output is twice", `"y" is named twice`, fake.Outputs(
			entry("y", tensor.Of(true)), entry("y", tensor.Of(true)))),
		Entry("an output to spoil is not there", `no output "z" to change, only [y]`,
			y, fake.NaN("z")),
		Entry("an element to set is not there", "cannot store NaN in element 3 of float32[3]",
			y, fake.Set("y", 3, math.NaN())),
		Entry("a NaN does not fit", "cannot store NaN in element 0 of int64[1]", two, fake.NaN("n")),
	)

	It("has a name", func(ctx SpecContext) {
		b := fake.New(fake.Echo(), fake.Named("abacus"))
		set, err := tensor.NewSet(entry("x", tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		run, err := b.Run(ctx, fixtures.Of(set, set))
		Expect(err).NotTo(HaveOccurred())
		_, err = b.Run(ctx, fixtures.Of())
		Expect(err).To(MatchError(backends.ErrNoInputs))
		Expect(run.Provenance.Backend).To(Equal("abacus"))
	})

	It("shows what it was given inside, as far as it is asked for", func(ctx SpecContext) {
		set, err := tensor.NewSet(entry("x", tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		names := func(asked []string, options ...fake.Option) []string {
			GinkgoHelper()
			e := fake.Engine(append(options, y)...)
			b, err := e.Open(ctx, nil, fixtures.Inputs{})
			Expect(err).NotTo(HaveOccurred())
			run, err := backends.CapabilitiesOf(e).RunWithTensors(ctx, b, fixtures.Of(set), asked)
			Expect(err).NotTo(HaveOccurred())
			return run.Outputs()[0].Names()
		}
		inside := fake.Inside(func(context.Context, *tensor.Set) (*tensor.Set, error) {
			return tensor.NewSet(entry("a", tensor.Of[float32](1)), entry("b", tensor.Of[float32](2)),
				entry("y", tensor.Of[float32](3)))
		})
		Expect(names([]string{"b", "y", "c"}, inside)).To(Equal([]string{"y", "b"}))
		Expect(backends.CapabilitiesOf(fake.Engine(y)).RunWithTensors).To(BeNil())
	})

	It("does not run when it is closed", func(ctx SpecContext) {
		b := fake.New(fake.Echo())
		Expect(b.Close()).To(Succeed())
		Expect(b.Close()).To(Succeed())
		_, err := b.Run(ctx, fixtures.Of(&tensor.Set{}))
		Expect(err).To(MatchError(backends.ErrClosed))
	})
})
