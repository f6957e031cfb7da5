package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// noisy is n values and the same with an error of a few ulps, of which none exceeds rel 1e-5.
func noisy(n int) (actual, expected []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	actual, expected = make([]float32, n), make([]float32, n)
	for i := range expected {
		expected[i] = float32(r.NormFloat64())
		actual[i] = expected[i] * (1 + 1e-6*(r.Float32()-0.5))
	}
	return actual, expected
}

func BenchmarkTensors(b *testing.B) {
	for _, n := range []int{1000, 20_000_000} {
		x, y := noisy(n)
		actual, expected := tensor.Of(x...), tensor.Of(y...)
		for _, stat := range []compare.Stat{compare.Elementwise, compare.Max, compare.Mean,
			compare.Median, compare.Quantile(0.99)} {
			c, err := compare.Prepare(compare.Options{Checks: []compare.Check{
				compare.Within(1e-5, 1e-5, stat)}})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("float32/%d/%s", n, stat), func(b *testing.B) {
				b.SetBytes(int64(8 * n))
				b.ReportAllocs()
				for b.Loop() {
					out, err := c.Tensors(actual, expected)
					if err != nil || out.Verdict != compare.Pass {
						b.Fatal(out.Reason, err)
					}
				}
			})
		}
	}
}

func BenchmarkStatistics(b *testing.B) {
	x, y := noisy(10_000_000)
	out, err := compare.Tensors(tensor.Of(x...), tensor.Of(y...), compare.Options{
		Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(8 * len(x)))
	for b.Loop() {
		if out.Statistics().Elements != len(x) {
			b.Fatal("lost elements")
		}
	}
}
