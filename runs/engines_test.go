package runs_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/pairs"
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

// ran is a run of an engine that computes y of x.
func ran(ctx context.Context, name string, inputs fixtures.Inputs,
	y func(x float32) (*tensor.Tensor, error)) (runs.Named, error) {
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
	run, err := backends.RunIn(ctx, fake.Engine(fake.Named(name), fake.Func(infer)), nil, inputs)
	return runs.Named{Name: name, Run: run}, err
}

var _ = Describe("Runs of engines", func() {
	within := compare.Options{Checks: []compare.Check{compare.Within(1e-3, 0, compare.Max)}}

	It("pass nothing by comparing nothing", func(ctx SpecContext) {
		none := func(name string, only float32) runs.Named {
			GinkgoHelper()
			run, err := ran(ctx, name, counted(2), func(x float32) (*tensor.Tensor, error) {
				if x == only {
					return tensor.Of[float32](1), nil
				}
				return tensor.FromBytes(tensor.Float32, tensor.Shape{0}, nil)
			})
			Expect(err).NotTo(HaveOccurred())
			run.Run, err = run.Run.Only("y")
			Expect(err).NotTo(HaveOccurred())
			return run
		}
		_, err := pairs.Compare(ctx, []runs.Named{none("a", 9), none("b", 9)}, within)
		Expect(err).To(MatchError(ContainSubstring("every output is empty on both sides")))
		pairs, err := pairs.Compare(ctx, []runs.Named{none("a", 1), none("b", 1)}, within)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
	})

	It("say in which iteration an engine failed", func(ctx SpecContext) {
		_, err := ran(ctx, "b", counted(5), func(x float32) (*tensor.Tensor, error) {
			if x == 3 {
				return nil, errors.New("out of tokens")
			}
			return tensor.Of[float32](1, 2, 3), nil
		})
		Expect(err).To(MatchError(ContainSubstring("iteration 3: out of tokens")))
	})
})
