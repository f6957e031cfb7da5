package compare_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// liveFor is how long the live comparison lasts: MODELPARITY_LIVE, or three seconds.
func liveFor() time.Duration {
	text := os.Getenv("MODELPARITY_LIVE")
	if text == "" {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(text)
	Expect(err).NotTo(HaveOccurred(), "MODELPARITY_LIVE is a duration such as 60s")
	return d
}

// required reports whether MODELPARITY_REQUIRE asks for Polygraphy.
func required() bool {
	for _, name := range strings.Split(os.Getenv("MODELPARITY_REQUIRE"), ",") {
		if name == "polygraphy" || name == "all" {
			return true
		}
	}
	return false
}

// python finds an interpreter with Polygraphy.
func python() (string, bool) {
	candidates := []string{os.Getenv("MODELPARITY_PYTHON"),
		filepath.Join("..", ".venv", "bin", "python"), "python3"}
	for _, p := range candidates {
		if p != "" && exec.Command(p, "-c", "import polygraphy.comparator, numpy").Run() == nil {
			return p, true
		}
	}
	return "", false
}

// worker is one Python process that judges with the real Polygraphy.
type worker struct {
	in      io.WriteCloser
	out     *bufio.Scanner
	command *exec.Cmd
}

func startWorker(python string) *worker {
	w := &worker{command: exec.Command(python, filepath.Join("testdata", "polygraphy", "live.py"))}
	var err error
	w.in, err = w.command.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	out, err := w.command.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	w.command.Stderr = GinkgoWriter
	w.out = bufio.NewScanner(out)
	w.out.Buffer(nil, 1<<24)
	Expect(w.command.Start()).To(Succeed())
	Expect(w.out.Scan()).To(BeTrue(), "the worker did not start")
	AddReportEntry("polygraphy", w.out.Text(), ReportEntryVisibilityFailureOrVerbose)
	return w
}

func (w *worker) stop() {
	Expect(w.in.Close()).To(Succeed())
	Expect(w.command.Wait()).To(Succeed())
}

type answer struct {
	Passed    bool
	Metrics   map[string]string
	Exception string
}

func (w *worker) judge(function string, params map[string]any, a, b *tensor.Tensor) answer {
	line, err := json.Marshal(map[string]any{"func": function, "params": params,
		"actual": encoded(a), "expected": encoded(b)})
	Expect(err).NotTo(HaveOccurred())
	_, err = w.in.Write(append(line, '\n'))
	Expect(err).NotTo(HaveOccurred())
	Expect(w.out.Scan()).To(BeTrue(), "the worker died: %v", w.out.Err())
	var got answer
	Expect(json.Unmarshal(w.out.Bytes(), &got)).To(Succeed())
	return got
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

var _ = Describe("the real Polygraphy", func() {
	It("gives our verdict on random tensors", func() {
		interpreter, ok := python()
		if !ok {
			const remedy = "no Python with Polygraphy: pip install polygraphy==0.53.6 numpy, or set " +
				"MODELPARITY_PYTHON"
			if required() {
				Fail(remedy)
			}
			Skip(remedy)
		}
		w := startWorker(interpreter)
		defer w.stop()
		seed := uint64(time.Now().UnixNano())
		if text := os.Getenv("MODELPARITY_LIVE_SEED"); text != "" {
			var err error
			seed, err = strconv.ParseUint(text, 10, 64)
			Expect(err).NotTo(HaveOccurred())
		}
		r := rand.New(rand.NewPCG(seed, 0))
		cases := 0
		for end := time.Now().Add(liveFor()); time.Now().Before(end); cases++ {
			live(w, r, fmt.Sprintf("MODELPARITY_LIVE_SEED=%d, case %d", seed, cases))
		}
		AddReportEntry("live cases", fmt.Sprintf("%d, seed %d", cases, seed))
	})
})

// live judges one random case on both sides.
func live(w *worker, r *rand.Rand, where string) {
	GinkgoHelper()
	a, b := livePair(r)
	o := compare.Options{AnyElementType: true, InfinitiesEqual: r.IntN(3) == 0}
	if r.IntN(4) == 0 {
		liveMetric(w, r, where, a, b)
		return
	}
	if r.IntN(6) == 0 {
		tolerance := r.IntN(3)
		o.Checks = []compare.Check{compare.Indices(tolerance)}
		if len(a.Shape()) > 0 {
			hold(where, o, a, b, w.judge("indices", map[string]any{"index_tolerance": tolerance}, a, b))
		}
		return
	}
	stat := allStats[r.IntN(len(allStats))]
	params := map[string]any{"infinities_compare_equal": o.InfinitiesEqual,
		"check_error_stat": string(stat)}
	if stat == compare.Elementwise {
		params["check_error_stat"] = "elemwise"
	}
	if strings.HasPrefix(string(stat), "quantile") {
		if a.ElementType() == tensor.Bool && b.ElementType() == tensor.Bool {
			return // Polygraphy raises a TypeError
		}
		params["check_error_stat"], params["error_quantile"] = "quantile", 0.9
	}
	if r.IntN(4) == 0 && a.ElementType() != tensor.Uint64 { // moved, its differences would wrap
		var err error
		b, err = b.Reshape(liveShape(r, b.Shape()))
		Expect(err).NotTo(HaveOccurred())
		o.AnyShape, params["check_shapes"] = true, false
	}
	atol, rtol := liveTolerances(r, a, b, o, stat)
	params["atol"], params["rtol"] = atol, rtol
	o.Checks = []compare.Check{compare.Within(atol, rtol, stat)}
	hold(where, o, a, b, w.judge("simple", params, a, b))
}

// hold holds the verdict, and max and median where there are some, to Polygraphy's.
func hold(where string, o compare.Options, a, b *tensor.Tensor, theirs answer) {
	GinkgoHelper()
	Expect(theirs.Exception).To(BeEmpty(), where)
	o.AllowEmpty = true
	out, err := compare.Tensors(a, b, o)
	if errors.As(err, new(*compare.Powerless)) {
		Expect(theirs.Passed).To(BeTrue(), "%s: what fails there is no question of power: %v", where, err)
		return
	}
	Expect(err).NotTo(HaveOccurred(), where)
	if a.Len() == 0 && b.Len() == 0 && len(out.Results) > 0 {
		Expect(out.Verdict).To(Equal(compare.Pass), "%s: empty tensors are equal", where)
		return
	}
	passed := out.Verdict == compare.Pass
	Expect(passed).To(Equal(theirs.Passed), "%s: Polygraphy passed: %v\n%v%v\n%v",
		where, theirs.Passed, out, a, b)
	if theirs.Metrics == nil {
		return
	}
	s := out.Statistics()
	for name, ours := range map[string]float64{"max_absdiff": s.Abs.Max, "max_reldiff": s.Rel.Max,
		"median_absdiff": s.Abs.Median, "median_reldiff": s.Rel.Median} {
		want, err := strconv.ParseFloat(theirs.Metrics[name], 64)
		Expect(err).NotTo(HaveOccurred())
		Expect(ours == want || ours != ours && want != want).To(BeTrue(), "%s: %s is %v, Polygraphy "+
			"has %v\n%v%v\n%v", where, name, ours, want, out, a, b)
	}
}

// liveMetric judges one of the metrics, with a limit that no rounding reaches.
func liveMetric(w *worker, r *rand.Rand, where string, a, b *tensor.Tensor) {
	GinkgoHelper()
	for _, t := range []*tensor.Tensor{a, b} {
		// Polygraphy's squares wrap, its float32 sums overflow, and it subtracts no bools: these
		// are differences with a case of their own.
		if t.ElementType().Bits() > 16 && !t.ElementType().IsFloat() ||
			t.ElementType() == tensor.Bool || t.Len() == 0 {
			return
		}
		for _, v := range t.Float64s() {
			if math.Abs(v) > 1e15 || v != 0 && math.Abs(v) < 1e-15 {
				return
			}
		}
	}
	metric := []struct {
		name  string
		check func(float64) compare.Check
	}{{"l2", compare.L2}, {"cosine_similarity", compare.CosineSimilarity}, {"psnr", compare.PSNR},
		{"snr", compare.SNR}}[r.IntN(4)]
	o := compare.Options{AnyElementType: true, Checks: []compare.Check{metric.check(1)}}
	out, err := compare.Tensors(a, b, o)
	if errors.As(err, new(*compare.Powerless)) {
		return // zeros against zeros, which Polygraphy takes for similar
	}
	Expect(err).NotTo(HaveOccurred())
	limit := out.Results[0].Value
	limit += []float64{-1, 1}[r.IntN(2)] * (1e-3*math.Abs(limit) + 1e-3)
	if math.IsNaN(limit) || math.IsInf(limit, 0) || limit < 0 && metric.name == "l2" ||
		limit <= -1 && metric.name == "cosine_similarity" { // which everything meets
		limit = r.Float64()
	}
	o.Checks[0] = metric.check(limit)
	params := map[string]any{metric.name + "_threshold": limit}
	if metric.name == "psnr" || metric.name == "snr" {
		// The peak and the signal are the expected side's here, output 0's there.
		hold(where, o, a, b, w.judge(metric.name, params, b, a))
		return
	}
	hold(where, o, a, b, w.judge(metric.name, params, a, b))
}

// liveTolerances are often exactly at an error, or one float64 beside it. Means and quantiles keep
// a distance: Polygraphy's last digits are float32's.
func liveTolerances(r *rand.Rand, a, b *tensor.Tensor, o compare.Options, stat compare.Stat) (
	atol, rtol float64) {
	o.Checks = []compare.Check{compare.Within(0, 0, stat)}
	o.AllowEmpty = true
	out, err := compare.Tensors(a, b, o)
	Expect(err).NotTo(HaveOccurred())
	s := out.Statistics()
	pick := func(e compare.Errors, own float64) float64 {
		v := []float64{e.Max, e.Median, e.P90, own, 1e-5, 0, 1}[r.IntN(7)]
		if math.IsNaN(v) {
			v = r.Float64()
		}
		if stat == compare.Mean || strings.HasPrefix(string(stat), "quantile") {
			return v * (1 + 1e-4*float64(r.IntN(2)*2-1))
		}
		return []float64{v, math.Nextafter(v, math.Inf(1)), math.Nextafter(v, 0)}[r.IntN(3)]
	}
	clean := func(v float64) float64 {
		if math.IsInf(v, 0) {
			return math.MaxFloat64 // JSON has no infinity
		}
		return v
	}
	return clean(pick(s.Abs, out.Results[0].Abs)), clean(pick(s.Rel, out.Results[0].Rel))
}

// liveShape is another shape of as many elements: permuted, flat, or with an axis of one.
func liveShape(r *rand.Rand, shape tensor.Shape) tensor.Shape {
	shape = shape.Clone()
	r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	switch r.IntN(3) {
	case 0:
		n, err := shape.Elements()
		must(err)
		return tensor.Shape{n}
	case 1:
		return append(shape, 1)
	}
	return shape
}

// liveTypes are NumPy's.
var liveTypes = []tensor.ElementType{tensor.Float16, tensor.Float32, tensor.Float64, tensor.Int8,
	tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32,
	tensor.Uint64, tensor.Bool}

// livePair is two random tensors of one shape, mostly of one type and mostly close to each other.
func livePair(r *rand.Rand) (actual, expected *tensor.Tensor) {
	shape := tensor.Shape{}
	for range r.IntN(4) {
		shape = append(shape, r.IntN(5))
	}
	if r.IntN(8) == 0 {
		shape = tensor.Shape{1000 + r.IntN(2000)} // more than a strip
	}
	n, err := shape.Elements()
	must(err)
	x, y := liveTypes[r.IntN(len(liveTypes))], liveTypes[r.IntN(len(liveTypes))]
	if r.IntN(4) > 0 || x == tensor.Bool && y == tensor.Uint64 {
		y = x // bool − uint64 wraps in Polygraphy
	}
	scale := math.Exp2(float64(r.IntN(24) - 4))
	odd := r.IntN(3) == 0
	as, bs := make([]float64, n), make([]float64, n)
	noise := math.Exp2(-float64(r.IntN(30)))
	for i := range bs {
		bs[i] = r.NormFloat64() * scale
		as[i] = bs[i] * (1 + noise*r.NormFloat64())
		if r.IntN(4) == 0 {
			as[i] = bs[i]
		}
		if odd && r.IntN(4) == 0 {
			special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1}
			as[i], bs[i] = special[r.IntN(len(special))], special[r.IntN(len(special))]
		}
	}
	return liveTensor(x, shape, as, bs), liveTensor(y, shape, bs, nil)
}

// liveTensor converts values to a type, into a range where Polygraphy's differences do not wrap: an
// unsigned one is kept at or above the other side's value.
func liveTensor(elem tensor.ElementType, shape tensor.Shape,
	values, above []float64) *tensor.Tensor {
	data := make([]byte, 0, elem.Bytes(len(values)))
	for i, v := range values {
		if !elem.IsFloat() {
			if above != nil && elem == tensor.Uint64 {
				v = max(math.Abs(v), math.Abs(above[i]))
			}
			v = integral(elem, v)
		}
		data = append(data, patternOf(elem, v)...)
	}
	t, err := tensor.FromBytes(elem, shape, data)
	must(err)
	return t
}

// integral brings v into half the range of an integer type.
func integral(elem tensor.ElementType, v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 1
	}
	limit := math.Exp2(float64(elem.Bits()-2)) - 1
	if elem.IsUnsigned() || elem == tensor.Bool {
		v = math.Abs(v)
	}
	if elem == tensor.Bool {
		return float64(int(v) % 2)
	}
	return math.Trunc(max(-limit, min(limit, v)))
}

// patternOf is the little-endian bytes of one value.
func patternOf(elem tensor.ElementType, v float64) []byte {
	var bits uint64
	switch elem {
	case tensor.Float64:
		bits = math.Float64bits(v)
	case tensor.Float32:
		bits = uint64(math.Float32bits(float32(v)))
	case tensor.Float16:
		bits = uint64(float16.Fromfloat32(float32(v)))
	case tensor.Uint64:
		bits = uint64(v)
	default:
		bits = uint64(int64(v))
	}
	pattern := make([]byte, elem.Bits()/8)
	for i := range pattern {
		pattern[i] = byte(bits >> (8 * i))
	}
	return pattern
}
