package matchers_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/peak"
	"github.com/modelparity/modelparity/internal/testing/skips"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Many iterations", func() {
	// ran is a run of so many iterations of 200 kB each.
	ran := func(ctx context.Context, iterations int, off float32) *backends.Run {
		GinkgoHelper()
		sets := make([]*tensor.Set, iterations)
		for i := range sets {
			sets[i] = set("x", tensor.Scalar(float32(i)))
		}
		engine := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			x, _ := in.Get("x")
			values := make([]float32, 50_000)
			for k := range values {
				values[k] = float32(x.Float64At(0)) + off + float32(k%97)
			}
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(values...)})
		}))
		run, err := backends.RunIn(ctx, engine, nil, fixtures.Of(sets...))
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	within := func() *OutputsMatcher { return MatchOutputsWithin(0.5, 0, compare.Elementwise) }

	// Of two runs each with 80 MB of outputs, or one with twice that.
	DescribeTable("take bounded memory",
		func(ctx SpecContext, iterations func(ctx context.Context, n int)) {
			skips.Long(GinkgoT())
			GinkgoT().Chdir(GinkgoT().TempDir())
			Expect(peak.Of(func() { iterations(ctx, 400) })).To(
				BeNumerically("<", 2*spill.Bound+40<<20))
		},
		Entry("in two runs", func(ctx context.Context, n int) {
			Expect(ran(ctx, n, 0)).To(within().Of(ran(ctx, n, 0.25)))
		}),
		Entry("in two runs that differ everywhere", func(ctx context.Context, n int) {
			m := within().Of(ran(ctx, n, 0))
			Expect(failure(m, ran(ctx, n, 1))).To(ContainSubstring("outputs differ"))
		}),
		Entry("against a golden file that is written", func(ctx context.Context, n int) {
			GinkgoT().Setenv(goldentree.EnvUpdate, "always") // a build server runs this, too
			Expect(ran(ctx, 2*n, 0)).To(MatchGolden("long").Inline(-1).
				Within(0.5, 0, compare.Elementwise))
		}),
		Entry("against a golden file", func(ctx context.Context, n int) {
			path := filepath.Join("testdata", "golden", "held.json")
			Expect(golden.Write(path, ran(ctx, n, 0), golden.Options{})).To(Succeed())
			Expect(ran(ctx, n, 0.25)).To(MatchGolden("held").Within(0.5, 0, compare.Elementwise))
			Expect(os.Remove(path)).To(Succeed())
		}),
		Entry("against a file", func(ctx context.Context, n int) {
			Expect(runs.WriteRuns("run.json", []runs.Named{{Name: "a", Run: ran(ctx, n, 0)}})).
				To(Succeed())
			Expect(ran(ctx, n, 0.25)).To(within().OfFile("run.json"))
		}),
		Entry("looked over for NaN", func(ctx context.Context, n int) {
			Expect(ran(ctx, 2*n, 0)).To(And(BeFinite(), HaveOutput("y")))
		}),
	)

	It("are found to differ wherever they do", func(ctx SpecContext) {
		off := func(at int) types.GomegaMatcher {
			i := -1
			run, err := ran(ctx, 300, 0).Changed(func(s *tensor.Set) (*tensor.Set, error) {
				if i++; i != at {
					return s, nil
				}
				y, _ := s.Get("y")
				before, err := tensor.Values[float32](y)
				if err != nil {
					return nil, err
				}
				values := slices.Clone(before)
				values[49_999]++
				return set("y", tensor.Of(values...)), nil
			})
			Expect(err).NotTo(HaveOccurred())
			return MatchOutputsWithin(0.5, 0, compare.Elementwise).Of(run)
		}
		for _, at := range []int{0, 299} {
			m := off(at)
			Expect(failure(m, ran(ctx, 300, 0))).To(ContainSubstring("1 of 300 outputs differ"))
		}
		Expect(ran(ctx, 300, 0)).To(off(-1))
	})
})
