package runs_test

import (
	"context"
	"errors"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// counted is inputs of so many iterations: x counts them from 0.
func counted(iterations int) fixtures.Inputs {
	sets := make([]*tensor.Set, iterations)
	for i := range sets {
		sets[i] = must("x", tensor.Scalar(float32(i)))
	}
	return fixtures.Of(sets...)
}

// sideOf is a side whose engine computes y of x.
func sideOf(name string, inputs fixtures.Inputs,
	y func(x float32) (*tensor.Tensor, error)) runs.Side {
	infer := func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
		t, _ := in.Get("x")
		values, err := tensor.Values[float32](t)
		if err != nil {
			return nil, err
		}
		out, err := y(values[0])
		if err != nil {
			return nil, err
		}
		return tensor.NewSet(tensor.Entry{Name: "y", Tensor: out},
			tensor.Entry{Name: "n", Tensor: tensor.Of(values[0])})
	}
	return runs.Side{Name: name, Subject: backends.Subject{
		Engine: fake.Engine(fake.Named(name), fake.Func(infer)), Inputs: inputs}}
}

var _ = Describe("Sides that run by turns", func() {
	within := compare.Options{Checks: []compare.Check{compare.Within(1e-3, 0, compare.Max)}}
	var turns []string
	BeforeEach(func() { turns = nil })
	side := func(name string, inputs fixtures.Inputs, wrongFrom float32) runs.Side {
		return sideOf(name, inputs, func(x float32) (*tensor.Tensor, error) {
			turns = append(turns, fmt.Sprint(name, x))
			if x >= wrongFrom {
				return tensor.Of(x, 2, 3), nil
			}
			return tensor.Of[float32](1, 2, 3), nil
		})
	}
	asOneRun := func(ctx context.Context, sides ...runs.Side) []compare.Pair {
		GinkgoHelper()
		var saved []runs.Named
		for _, s := range sides {
			run, err := backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
			Expect(err).NotTo(HaveOccurred())
			saved = append(saved, runs.Named{Name: s.Name, Run: run})
		}
		pairs, err := runs.ComparePairs(ctx, saved, within)
		Expect(err).NotTo(HaveOccurred())
		return pairs
	}

	DescribeTable("give the text of runs that are compared as a whole",
		func(ctx SpecContext, iterations int, wrongFrom float32) {
			inputs := counted(iterations)
			sides := []runs.Side{side("a", inputs, 1e9), side("b", inputs, wrongFrom),
				side("c", inputs, wrongFrom)}
			got, err := runs.Interleave(ctx, sides, nil, within)
			Expect(err).NotTo(HaveOccurred())
			want := asOneRun(ctx, sides...)
			text := func(p []compare.Pair) string { return compare.Document{Pairs: p}.Text(0) }
			Expect(text(got)).To(Equal(text(want)))
			Expect(compare.Document{Pairs: got}.Summary()).To(
				Equal(compare.Document{Pairs: want}.Summary()))
		},
		Entry("that agree", 3, float32(1e9)),
		Entry("of which some iterations differ", 5, float32(2)),
		Entry("with more that differ than are shown in full", 30, float32(2)),
		Entry("of one iteration", 1, float32(1e9)),
	)

	It("run one iteration each, and no further than the first failure where that is asked for",
		func(ctx SpecContext) {
			fast := within
			fast.FailFast = true
			inputs := counted(100)
			pairs, err := runs.Interleave(ctx, []runs.Side{side("a", inputs, 1e9),
				side("b", inputs, 2)}, nil, fast)
			Expect(err).NotTo(HaveOccurred())
			Expect(pairs[0].Report.Verdict).To(Equal(compare.Fail))
			Expect(turns).To(Equal([]string{"a0", "b0", "a1", "b1", "a2", "b2"}))
		})

	It("keep the outputs that are asked for", func(ctx SpecContext) {
		inputs := counted(3)
		pairs, err := runs.Interleave(ctx, []runs.Side{side("a", inputs, 1e9),
			side("b", inputs, 0)}, []string{"n"}, within)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
		Expect(pairs[0].Report.Outputs).To(HaveLen(3))
	})

	It("say in which iteration an engine failed", func(ctx SpecContext) {
		inputs := counted(5)
		broken := sideOf("b", inputs, func(x float32) (*tensor.Tensor, error) {
			if x == 3 {
				return nil, errors.New("out of tokens")
			}
			return tensor.Of[float32](1, 2, 3), nil
		})
		_, err := runs.Interleave(ctx, []runs.Side{side("a", inputs, 1e9), broken}, nil, within)
		Expect(err).To(MatchError(ContainSubstring("iteration 3: out of tokens")))
		Expect(err).NotTo(MatchError(ContainSubstring("iteration 0")))
	})

	It("are two or more, and not averaged", func(ctx SpecContext) {
		a := side("a", counted(9), 1e9)
		_, err := runs.Interleave(ctx, []runs.Side{a}, nil, within)
		Expect(err).To(MatchError(ContainSubstring("only one side")))
		average := within
		average.Average = true
		_, err = runs.Interleave(ctx, []runs.Side{a, a}, nil, average)
		Expect(err).To(MatchError(ContainSubstring("Average needs every iteration")))
	})

	It("pass nothing by comparing nothing", func(ctx SpecContext) {
		inputs := counted(2)
		none := func(name string, only float32) runs.Side {
			return sideOf(name, inputs, func(x float32) (*tensor.Tensor, error) {
				if x == only {
					return tensor.Of[float32](1), nil
				}
				return tensor.FromBytes(tensor.Float32, tensor.Shape{0}, nil)
			})
		}
		_, err := runs.Interleave(ctx, []runs.Side{none("a", 9), none("b", 9)}, []string{"y"}, within)
		Expect(err).To(MatchError(ContainSubstring("every output is empty on both sides")))
		pairs, err := runs.Interleave(ctx, []runs.Side{none("a", 1), none("b", 1)}, []string{"y"},
			within)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
		_, err = runs.Interleave(ctx, []runs.Side{side("a", counted(0), 1), side("b", counted(0), 1)},
			nil, within)
		Expect(err).To(MatchError(backends.ErrNoInputs))
	})
})
