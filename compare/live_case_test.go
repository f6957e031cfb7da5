package compare_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// liveCase is one comparison that both sides judge. A number of its seed names it for good.
type liveCase struct {
	seed, number     uint64
	function         string // Polygraphy's
	params           map[string]any
	options          compare.Options
	actual, expected *tensor.Tensor
	// swapped is for metrics whose reference is the expected side here, and output 0 there.
	swapped bool
}

// drawLive draws a case. It depends on nothing but the seed and the number.
func drawLive(seed, number uint64) *liveCase {
	r := rand.New(rand.NewPCG(seed, number))
	for {
		c := &liveCase{seed: seed, number: number}
		c.actual, c.expected = livePair(r)
		c.options = compare.Options{AnyElementType: true, InfinitiesEqual: r.IntN(3) == 0}
		draw := c.drawWithin
		switch {
		case r.IntN(4) == 0:
			draw = c.drawMetric
		case r.IntN(6) == 0:
			draw = c.drawIndices
		}
		if draw(r) {
			c.options.AllowEmpty = true
			return c
		}
	}
}

// drawIndices reports whether the pair has lists, as every draw method reports whether Polygraphy
// can judge the pair.
func (c *liveCase) drawIndices(r *rand.Rand) bool {
	tolerance := r.IntN(3)
	c.function, c.params = "indices", map[string]any{"index_tolerance": tolerance}
	c.options.Checks = []compare.Check{compare.Indices(tolerance)}
	return len(c.actual.Shape()) > 0
}

func (c *liveCase) drawWithin(r *rand.Rand) bool {
	stat := allStats[r.IntN(len(allStats))]
	c.function = "simple"
	c.params = map[string]any{"infinities_compare_equal": c.options.InfinitiesEqual,
		"check_error_stat": string(stat)}
	if stat == compare.Elementwise {
		c.params["check_error_stat"] = "elemwise"
	}
	if strings.HasPrefix(string(stat), "quantile") {
		if c.actual.ElementType() == tensor.Bool && c.expected.ElementType() == tensor.Bool {
			return false // Polygraphy raises a TypeError
		}
		c.params["check_error_stat"], c.params["error_quantile"] = "quantile", 0.9
	}
	if r.IntN(4) == 0 && c.actual.ElementType() != tensor.Uint64 { // moved, differences would wrap
		var err error
		c.expected, err = c.expected.Reshape(liveShape(r, c.expected.Shape()))
		c.must(err)
		c.options.AnyShape, c.params["check_shapes"] = true, false
	}
	atol, rtol := c.tolerances(r, stat)
	c.params["atol"], c.params["rtol"] = atol, rtol
	c.options.Checks = []compare.Check{compare.Within(atol, rtol, stat)}
	return true
}

// tolerances are often exactly at an error, or one float64 next to it. Means and quantiles keep a
// distance: Polygraphy's last digits are float32's.
func (c *liveCase) tolerances(r *rand.Rand, stat compare.Stat) (atol, rtol float64) {
	o := c.options
	o.Checks, o.AllowEmpty = []compare.Check{compare.Within(0, 0, stat)}, true
	out, err := compare.Tensors(c.actual, c.expected, o)
	c.must(err)
	s := out.Statistics()
	pick := func(e compare.Errors, own float64) float64 {
		v := []float64{e.Max, e.Median, e.P90, own, 1e-5, 0, 1}[r.IntN(7)]
		if math.IsNaN(v) {
			v = r.Float64()
		}
		if stat == compare.Mean || strings.HasPrefix(string(stat), "quantile") {
			v *= 1 + 1e-4*float64(r.IntN(2)*2-1)
		} else {
			v = []float64{v, math.Nextafter(v, math.Inf(1)), math.Nextafter(v, 0)}[r.IntN(3)]
		}
		return min(v, math.MaxFloat64) // JSON has no infinity
	}
	return pick(s.Abs, out.Results[0].Abs), pick(s.Rel, out.Results[0].Rel)
}

// liveMetrics are the metrics by Polygraphy's names for them.
var liveMetrics = map[string]func(limit float64) compare.Check{"l2": compare.L2,
	"cosine_similarity": compare.CosineSimilarity, "psnr": compare.PSNR, "snr": compare.SNR}

// drawMetric gives a metric a limit that no rounding reaches.
func (c *liveCase) drawMetric(r *rand.Rand) bool {
	for _, t := range []*tensor.Tensor{c.actual, c.expected} {
		// Polygraphy's squares wrap, its float32 sums overflow, and it subtracts no bools: these
		// are differences with a case of their own.
		if t.ElementType().Bits() > 16 && !t.ElementType().IsFloat() ||
			t.ElementType() == tensor.Bool || t.Len() == 0 {
			return false
		}
		for _, v := range t.Float64s() {
			if math.Abs(v) > 1e15 || v != 0 && math.Abs(v) < 1e-15 {
				return false
			}
		}
	}
	c.function = []string{"l2", "cosine_similarity", "psnr", "snr"}[r.IntN(4)]
	c.swapped = strings.HasSuffix(c.function, "snr")
	c.options = compare.Options{AnyElementType: true,
		Checks: []compare.Check{liveMetrics[c.function](1)}}
	out, err := compare.Tensors(c.actual, c.expected, c.options)
	if errors.As(err, new(*compare.Powerless)) {
		return false // zeros against zeros, which Polygraphy takes for similar
	}
	c.must(err)
	side := []float64{-1, 1}[r.IntN(2)]
	limit := liveLimit(r, c.function, out.Results[0].Value, side)
	c.options.Checks[0] = liveMetrics[c.function](limit)
	c.params = map[string]any{c.function + "_threshold": limit}
	return true
}

// liveLimit is a limit on one side of a metric's value that something meets and something misses.
func liveLimit(r *rand.Rand, metric string, value, side float64) float64 {
	limit := value + side*(1e-3*math.Abs(value)+1e-3)
	if math.IsNaN(limit) || math.IsInf(limit, 0) || limit < 0 && metric == "l2" ||
		!(limit > -1 && limit <= 1) && metric == "cosine_similarity" {
		return r.Float64()
	}
	return limit
}

// request is what the worker is asked.
func (c *liveCase) request() []byte {
	a, b := c.actual, c.expected
	if c.swapped {
		a, b = b, a
	}
	line, err := json.Marshal(map[string]any{"func": c.function, "params": c.params,
		"actual": encoded(a), "expected": encoded(b)})
	must(err)
	return line
}

// hold holds our verdict, and max and median where there are some, to Polygraphy's.
func (c *liveCase) hold(w *worker) {
	GinkgoHelper()
	theirs := w.judge(c.request())
	if theirs.Exception != "" {
		c.disagree("Polygraphy raised %s", theirs.Exception)
	}
	out, err := compare.Tensors(c.actual, c.expected, c.options)
	if errors.As(err, new(*compare.Powerless)) {
		if !theirs.Passed {
			c.disagree("ours has no power, Polygraphy fails: %s", err)
		}
		return
	}
	c.must(err)
	if c.actual.Len() == 0 && c.expected.Len() == 0 && len(out.Results) > 0 {
		if out.Verdict != compare.Pass {
			c.disagree("empty tensors are equal, ours is %v: %s", out.Verdict, out.Reason)
		}
		return
	}
	if passed := out.Verdict == compare.Pass; passed != theirs.Passed {
		c.disagree("passed: ours %v (%.90s), Polygraphy %v", passed, figures(out), theirs.Passed)
	}
	if theirs.Metrics == nil {
		return
	}
	s := out.Statistics()
	for name, ours := range map[string]float64{"max_absdiff": s.Abs.Max, "max_reldiff": s.Rel.Max,
		"median_absdiff": s.Abs.Median, "median_reldiff": s.Rel.Median} {
		want, err := strconv.ParseFloat(theirs.Metrics[name], 64)
		c.must(err)
		if ours != want && (ours == ours || want == want) {
			c.disagree("%s: ours %v, Polygraphy %v", name, ours, want)
		}
	}
}

// figures are the numbers that our verdict rests on.
func figures(out compare.Output) string {
	if len(out.Results) == 0 {
		return out.Reason
	}
	r := out.Results[0]
	return fmt.Sprintf("abs %v, rel %v, value %v, %d mismatch", r.Abs, r.Rel, r.Value, r.Mismatches)
}

// must is for errors that a case must not meet.
func (c *liveCase) must(err error) {
	GinkgoHelper()
	if err != nil {
		c.disagree("ours is the error %s", err)
	}
}

// disagree fails the spec in a few lines, each of which starts with "live: ", so that they survive
// where only the end of a log is kept. The tensors go to a file that testdata/polygraphy/live.py
// reads.
func (c *liveCase) disagree(how string, args ...any) {
	GinkgoHelper()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("modelparity-live-%d-%d.json", c.seed, c.number))
	if err := os.WriteFile(path, c.request(), 0o644); err != nil {
		path = err.Error()
	}
	Fail(c.text(fmt.Sprintf(how, args...), path))
}

// text is a failure in less than 600 characters.
func (c *liveCase) text(how, path string) string {
	params, err := json.Marshal(c.params)
	must(err)
	return fmt.Sprintf("live: MODELPARITY_LIVE_SEED=%d MODELPARITY_LIVE_CASE=%d\n"+
		"live: %.150s\nlive: %s %s\nlive: %v%v, expected %v%v\nlive: tensors in %.100s", c.seed, c.number,
		strings.Join(strings.Fields(how), " "), c.function, params, c.actual.ElementType(),
		c.actual.Shape(), c.expected.ElementType(), c.expected.Shape(), path)
}

func encoded(t *tensor.Tensor) []any {
	for descr, elem := range npyTypes {
		if elem == t.ElementType() {
			return []any{descr, append([]int{}, t.Shape()...),
				base64.StdEncoding.EncodeToString(t.Bytes())}
		}
	}
	panic("not a type of NumPy's")
}
