//go:build !race

// The race detector slows element-wise loops more than vectorised ones.

package noise_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
)

// TestCost limits the time of a passing comparison with cached noise, which reads and checks a
// million σ, to a small multiple of the signal-to-noise ratio's, which also reads all elements in
// float64. The two alternate and the fastest of each counts, so that other load on the machine
// affects both. A busy machine gets more attempts.
func TestCost(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	factors := make([]float32, 16)
	for i := range factors {
		factors[i] = 0.1 + 0.37*float32(i)
	}
	model := loaders.ONNXBytes("wide.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 16, 256, 256}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{16, 1, 1},
			Raw: onnxtest.Float32s(factors...)}},
		Nodes:   []onnxtest.Node{{Op: "Mul", In: []string{"x", "w"}, Out: []string{"y"}}},
		Outputs: []onnxtest.Value{{Name: "y"}}}}.Bytes())
	run, err := backends.RunIn(t.Context(), ort.Engine(), model, fixtures.Random(model))
	g.Expect(err).NotTo(HaveOccurred())
	cache := noise.CacheIn(t.TempDir())
	_, err = noise.Of(run, cache)
	g.Expect(err).NotTo(HaveOccurred())
	fastest := func(best time.Duration, do func() (compare.Report, error)) time.Duration {
		begin := time.Now()
		report, err := do()
		took := time.Since(begin)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(report.Verdict).To(Equal(compare.Pass))
		if best == 0 {
			return took
		}
		return min(best, took)
	}
	var within, ratio, elementwise time.Duration
	by := func(check compare.Check) func() (compare.Report, error) {
		return func() (compare.Report, error) {
			return compare.Runs(run.Outputs(), run.Outputs(),
				compare.Options{Checks: []compare.Check{check}})
		}
	}
	for i := 0; i < 15 || i < 150 && within >= 4*ratio; i++ {
		within = fastest(within, func() (compare.Report, error) {
			measured, err := noise.Of(run, cache)
			if err != nil {
				return compare.Report{}, err
			}
			return compare.WithinNoise(run.Outputs(), run.Outputs(), measured, compare.Bars{},
				compare.Options{})
		})
		ratio = fastest(ratio, by(compare.SNR(20)))
		elementwise = fastest(elementwise, by(compare.Within(1e-4, 1e-4, compare.Elementwise)))
	}
	t.Logf("a million elements: noise from the cache %v, signal-to-noise ratio %v (%.2f times), "+
		"elementwise %v", within, ratio, float64(within)/float64(ratio), elementwise)
	g.Expect(within).To(BeNumerically("<", 4*ratio))
}
