package cnn_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// These specs find out where INT8 loses accuracy, for the networks listed in [int8Variable]. They
// mostly measure; the figures are in the report and in the record.
//
// A scale clips values beyond 127 steps. The specs simulate TensorRT's calibrated ranges on ONNX
// Runtime. If the simulation loses as much as TensorRT, calibration is at fault; otherwise
// TensorRT's engine is.

// int8Variable names the environment variable that lists the networks, separated by commas.
const int8Variable = "MODELPARITY_CNN_INT8"

// calibrationImages is the number of images in the larger calibration.
const calibrationImages = 8

var _ = Describe("INT8 taken apart", Ordered, ContinueOnFailure, func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })
	for _, name := range strings.Split(os.Getenv(int8Variable), ",") {
		if name == "" {
			continue
		}
		for _, images := range []int{2, calibrationImages} {
			It(fmt.Sprintf("simulated: %s with the ranges of %d images", name, images),
				func(ctx SpecContext) {
					s := get(ctx, name)
					all, greatest := histograms(ctx, s, images)
					s.simulate(ctx, fmt.Sprintf("int8 simulated, greatest of %d", images), greatest)
					entropy := map[string]float64{}
					for name, h := range all {
						entropy[name] = h.entropy()
					}
					clipped(entropy, greatest)
					s.simulate(ctx, fmt.Sprintf("int8 simulated, entropy of %d", images), entropy)
				}, long)
		}
		for _, by := range []struct {
			algorithm string
			option    trt.Option
		}{{"ENTROPY_CALIBRATION_2", trt.Option{}},
			{"ENTROPY_CALIBRATION", trt.EntropyCalibration()},
			{"MINMAX_CALIBRATION", trt.MinMaxCalibration()}} {
			for _, images := range []int{2, calibrationImages} {
				It(fmt.Sprintf("%s by %s of %d images", name, by.algorithm, images), Label("gpu"),
					func(ctx SpecContext) {
						onTensorRT(ctx, get(ctx, name), by.algorithm, by.option, images)
					}, long)
			}
		}
	}
})

// batches returns images for calibration; the first two are also the run's inputs.
func (s *subject) batches(images int) fixtures.Inputs {
	return fixtures.Random(s.model, fixtures.Seed(3), fixtures.ValRange(-1, 1),
		fixtures.Iterations(images))
}

// simulate rounds weights and tensors to int8 with the given ranges, on ONNX Runtime.
func (s *subject) simulate(ctx context.Context, what string, ranges map[string]float64) {
	GinkgoHelper()
	quantized, err := s.network.Quantized(ranges)
	Expect(err).NotTo(HaveOccurred())
	actual, err := ort.Run(ctx, cut(quantized, s.network.Logits()), s.inputs)
	Expect(err).NotTo(HaveOccurred())
	m := measure(actual, s.expected, s)
	m.Precision = what
	m.record()
	Expect(m.SNR).To(BeNumerically(">", 0), "more noise than signal")
}

// onTensorRT calibrates, builds and runs an engine, and simulates the loss from its ranges.
func onTensorRT(ctx SpecContext, s *subject, algorithm string, option trt.Option,
	images int) {
	GinkgoHelper()
	trt.Require(GinkgoT())
	cache := filepath.Join(GinkgoT().TempDir(), "scales")
	begin := time.Now()
	kind := trt.Engine(onGPU(chosen(trt.INT8(), option, trt.Calibrate(s.batches(images)),
		trt.CalibrationCache(cache), trt.WarmUp(1))...)...)
	engine, err := kind.Open(ctx, s.model, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	defer engine.Close()
	built := time.Since(begin)
	actual, err := engine.Run(ctx, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	m := measure(actual, s.expected, s)
	m.Precision = fmt.Sprintf("int8, %s of %d", algorithm, images)
	m.Build, m.Run = built.Seconds(), milliseconds(actual)
	m.record()
	AddReportEntry("int8", actual.Provenance.Options["int8"])

	all, greatest := histograms(ctx, s, images)
	found := readScales(cache)
	ranges := maps.Clone(greatest)
	known := 0
	for name := range all {
		if r := found[name]; r > 0 {
			ranges[name] = r
			known++
		}
	}
	AddReportEntry("ranges", fmt.Sprintf("%d of %d tensors are in the calibration cache", known,
		len(ranges)))
	clipped(ranges, greatest)
	s.simulate(ctx, "int8 simulated, ranges of "+m.Precision, ranges)
	alongTheDepth(ctx, s, kind, engine)
}

// alongTheDepth reports the engine's signal-to-noise ratio at tensors where branches meet. Before
// TensorRT 10.12 these tensors become outputs, which may prevent fusion.
func alongTheDepth(ctx context.Context, s *subject, kind backends.Engine,
	engine backends.Backend) {
	GinkgoHelper()
	var names []string
	for _, one := range s.network.Nodes() {
		switch one.Op {
		case "Concat", "Sum", "MaxPool", "AveragePool", "GlobalAveragePool":
			names = append(names, one.Outputs[0])
		}
	}
	actual, err := backends.CapabilitiesOf(kind).RunWithTensors(ctx, engine, s.inputs, names)
	Expect(err).NotTo(HaveOccurred())
	model, err := s.model.Mark(names...)
	Expect(err).NotTo(HaveOccurred())
	expected, err := ort.Run(ctx, model, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	var lines []string
	for _, name := range names {
		a, ok := actual.Outputs()[0].Get(name)
		b, known := expected.Outputs()[0].Get(name)
		if !ok || !known {
			continue
		}
		o, err := compare.Tensors(a, b, compare.Options{AnyElementType: true,
			Checks: []compare.Check{compare.SNR(1e9)}})
		Expect(err).NotTo(HaveOccurred())
		lines = append(lines, fmt.Sprintf("%6.1f dB  %s", o.Results[0].Value, name))
	}
	AddReportEntry("along the depth", strings.Join(lines, "\n"))
}

// clipped reports the tensors whose ranges exclude most of their observed values.
func clipped(ranges, greatest map[string]float64) {
	names := slices.SortedFunc(maps.Keys(ranges), func(a, b string) int {
		return cmp.Compare(ranges[a]/greatest[a], ranges[b]/greatest[b])
	})
	var lines []string
	for _, name := range names[:min(12, len(names))] {
		lines = append(lines, fmt.Sprintf("%.3f of %.4g  %s", ranges[name]/greatest[name],
			greatest[name], name))
	}
	AddReportEntry("range / greatest", strings.Join(lines, "\n"))
}

// histogram counts the magnitudes of a tensor.
type histogram struct {
	greatest float64
	counts   []float64
}

// bins and levels are those in NVIDIA's description of TensorRT's entropy calibration (Migacz,
// 8-bit Inference with TensorRT, GTC 2017).
const (
	bins   = 2048
	levels = 128
)

// seen caches the histograms of a network by number of images, since several specs use them.
var seen = map[string]map[string]*histogram{}

// histograms counts the magnitudes of every inner tensor over a number of images.
func histograms(ctx context.Context, s *subject, images int) (all map[string]*histogram,
	greatest map[string]float64) {
	GinkgoHelper()
	key := fmt.Sprint(s.name, images)
	all, greatest = seen[key], map[string]float64{}
	if all == nil {
		all = map[string]*histogram{}
		look := func(at func(h *histogram, values []float64)) {
			for set, err := range s.batches(images).All() {
				Expect(err).NotTo(HaveOccurred())
				for name, t := range insides(ctx, s, set).All() {
					if all[name] == nil {
						all[name] = &histogram{counts: make([]float64, bins)}
					}
					at(all[name], t.Float64s())
				}
			}
		}
		look(func(h *histogram, values []float64) {
			for _, v := range values {
				h.greatest = math.Max(h.greatest, math.Abs(v))
			}
		})
		look(func(h *histogram, values []float64) {
			for _, v := range values {
				if h.greatest > 0 {
					h.counts[min(bins-1, int(math.Abs(v)/h.greatest*bins))]++
				}
			}
		})
		maps.DeleteFunc(all, func(_ string, h *histogram) bool { return h.greatest == 0 })
		seen[key] = all
	}
	for name, h := range all {
		greatest[name] = h.greatest
	}
	return all, greatest
}

// insides returns every inner tensor for one image.
func insides(ctx context.Context, s *subject, image *tensor.Set) *tensor.Set {
	GinkgoHelper()
	var names []string
	for _, one := range s.network.Nodes() {
		names = append(names, one.Outputs...)
	}
	model, err := whole(s.network).Mark(names...)
	Expect(err).NotTo(HaveOccurred())
	run, err := ort.Run(ctx, model, fixtures.Of(image))
	Expect(err).NotTo(HaveOccurred())
	return run.Outputs()[0]
}

// entropy returns the range with which 128 levels lose the least information. It minimises the
// Kullback–Leibler divergence of the quantized from the clipped magnitudes.
func (h *histogram) entropy() float64 {
	best, width := math.Inf(1), bins
	for n := levels; n <= bins; n++ {
		if d := h.divergence(n); d < best {
			best, width = d, n
		}
	}
	return (float64(width) + 0.5) * h.greatest / bins
}

// divergence is the divergence for a range of n bins.
func (h *histogram) divergence(n int) float64 {
	p := slices.Clone(h.counts[:n])
	for _, count := range h.counts[n:] {
		p[n-1] += count
	}
	q := make([]float64, n)
	for level := range levels {
		from, to := level*n/levels, (level+1)*n/levels
		sum, filled := 0.0, 0.0
		for i := from; i < to; i++ {
			sum += h.counts[i]
			if p[i] > 0 {
				filled++
			}
		}
		for i := from; i < to; i++ {
			if p[i] > 0 {
				q[i] = sum / filled
			}
		}
	}
	total, kept, divergence := 0.0, 0.0, 0.0
	for i := range p {
		total += p[i]
		kept += q[i]
	}
	for i := range p {
		switch {
		case p[i] > 0 && q[i] > 0:
			divergence += p[i] / total * math.Log(p[i]/total*kept/q[i])
		case p[i] > 0:
			return math.Inf(1)
		}
	}
	return divergence
}

// readScales reads a calibration cache. Each line "name: 3c010a14" is a tensor with the bits of its
// float32 scale; the range is 127 steps.
func readScales(path string) map[string]float64 {
	GinkgoHelper()
	text, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	ranges := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		i := strings.LastIndex(line, ": ")
		if i < 0 {
			continue
		}
		bits, err := hex.DecodeString(strings.TrimSpace(line[i+2:]))
		if err == nil && len(bits) == 4 {
			ranges[line[:i]] = 127 * float64(math.Float32frombits(binary.BigEndian.Uint32(bits)))
		}
	}
	return ranges
}
