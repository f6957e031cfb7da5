package cnn_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// recordVariable names the environment variable for the file of figures.
const recordVariable = "MODELPARITY_CNN_RECORD"

// figures are the worst results of a network in one precision, over its iterations.
type figures struct {
	Model, Precision string
	Depth            int
	Max              float64 // greatest error, relative to the greatest expected logit
	Norm             float64 // ‖actual − expected‖₂ / ‖expected‖₂
	Cosine, SNR      float64
	Top1             float64 // share of unchanged predictions
	Spearman         float64 // rank correlation of the logits
	Build            float64 // seconds
	Run              float64 // milliseconds
}

// measure compares a run of a network with the expected one.
func measure(actual, reference *backends.Run, s *subject) figures {
	GinkgoHelper()
	f := figures{Model: s.name, Depth: s.network.Depth(), Cosine: 1, SNR: math.Inf(1), Spearman: 1}
	// Only the values matter, so limits are the strictest: a limit that cannot fail would be rejected.
	checks := compare.Options{AnyElementType: true, Checks: []compare.Check{
		compare.Within(0, 0, compare.Max), compare.NormRelative(0),
		compare.CosineSimilarity(1), compare.SNR(1e9), compare.TopKAgreement(1, 1)}}
	for i, set := range actual.Outputs() {
		expected := reference.Outputs()[i]
		o, err := compare.Tensors(logits(set), logits(expected), checks)
		Expect(err).NotTo(HaveOccurred())
		Expect(o.Results).To(HaveLen(len(checks.Checks)), o.Reason)
		f.Max = math.Max(f.Max, o.Results[0].Abs/s.scale)
		f.Norm = math.Max(f.Norm, o.Results[1].Value)
		f.Cosine = math.Min(f.Cosine, o.Results[2].Value)
		f.SNR = math.Min(f.SNR, o.Results[3].Value)
		f.Top1 += o.Results[4].Value / float64(len(actual.Iterations()))
		f.Spearman = math.Min(f.Spearman, spearman(ranks(set.At(0).Tensor.Float64s()),
			ranks(expected.At(0).Tensor.Float64s())))
	}
	return f
}

// logits returns the only output with a row per image; some networks return 1000 by 1 by 1.
func logits(set *tensor.Set) *tensor.Tensor {
	GinkgoHelper()
	t := set.At(0).Tensor
	flat, err := t.Reshape(tensor.Shape{t.Shape()[0], t.Len() / t.Shape()[0]})
	Expect(err).NotTo(HaveOccurred())
	return flat
}

// spearman is the rank correlation, 1 − 6·Σd² / (n·(n²−1)) with d the difference of two ranks.
func spearman(a, b []float64) float64 {
	sum, n := 0.0, float64(len(a))
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return 1 - 6*sum/(n*(n*n-1))
}

// ranks returns each value's index in ascending order.
func ranks(values []float64) []float64 {
	places := make([]int, len(values))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for rank, i := range places {
		ranks[i] = float64(rank)
	}
	return ranks
}

// recorded collects the lines.
var recorded = "model\tprecision\tdepth\tmax/scale\tnorm\tcosine\tSNR dB\ttop-1\tspearman\t" +
	"build s\trun ms\n"

// record adds the figures to the spec's report and to the file.
func (f figures) record() {
	GinkgoHelper()
	line := fmt.Sprintf("%s\t%s\t%d\t%.2e\t%.2e\t%.7f\t%.1f\t%.2f\t%.5f\t%.2f\t%.3f",
		f.Model, f.Precision, f.Depth, f.Max, f.Norm, f.Cosine, f.SNR, f.Top1, f.Spearman,
		f.Build, f.Run)
	AddReportEntry("figures", line)
	recorded += line + "\n"
	if path := os.Getenv(recordVariable); path != "" {
		Expect(os.WriteFile(path, []byte(recorded), 0o644)).To(Succeed())
	}
}
