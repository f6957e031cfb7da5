package cnn_test

import (
	"log/slog"
	"math"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// bound is the allowed error for unit roundoff u. Both sides compute the same network and differ
// only by rounding: p bits of mantissa cause errors up to u = 2⁻ᵖ per value. A logit averages many
// independent errors, and layers damp earlier ones. With every weight and tensor rounded, the nine
// networks have errors of 1 to 3.1 u of their greatest logit, whether 8 or 121 layers deep (see
// bound_test.go). Five times that leaves room for kernels that also sum in FP16.
func bound(u float64) float64 { return 16 * u }

// These are units of roundoff. TF32 has FP16's mantissa and float32's exponent.
const (
	unit16 = 1.0 / (1 << 11) // FP16 and TF32
	unitBF = 1.0 / (1 << 8)
)

// order is the bound for float32, where rounding at 2⁻²⁴ is negligible compared with the order of
// additions: √k·2⁻²⁴ for k up to 25088 terms is 1e-5, and Winograd transforms cost another digit.
const order = 1e-4

// leastSNR is the required signal-to-noise ratio of INT8 in decibels. Eight-bit values have errors
// of one step, 1/127 of their tensor's greatest magnitude, about 33 dB below normally distributed
// values. With all weights and tensors rounded like that, the networks reach 26 to 33 dB, and
// densenet121, the deepest, 11 dB (bound_test.go). Entropy calibration also clips, so 6 dB more,
// twice the error, are allowed; that is enough except for [entropyLoses].
func leastSNR(name string) float64 {
	if name == "densenet121" {
		return 5
	}
	return 17
}

// quantizedWell is the requirement for INT8. Noise independent of the signal turns the outputs'
// vector by an angle with cos² = 1/(1+noise/signal).
func quantizedWell(s *subject) *matchers.OutputsMatcher {
	snr := leastSNR(s.name)
	return matchers.MatchOutputs(compare.SNR(snr),
		compare.CosineSimilarity(1/math.Sqrt(1+math.Pow(10, -snr/10)))).
		Under(compare.Options{AnyElementType: true})
}

// within is the requirement for all other precisions: the greatest error relative to the greatest
// logit. A final convolution may return the logits in its own precision.
func within(s *subject, relative float64) *matchers.OutputsMatcher {
	return matchers.MatchOutputsWithin(relative*s.scale, 0, matchers.Max).
		Under(compare.Options{AnyElementType: true})
}

// precision is one row of the table.
type precision struct {
	name    string // also the provenance's key
	options func(*subject) []trt.Option
	// forced selects the precision, for engines in which TensorRT would not choose it.
	forced  func(*subject) []trt.Option
	matcher func(*subject) *matchers.OutputsMatcher
	// least is a norm-wise error that the precision cannot avoid. It reveals engines that compute in
	// float32 anyway, even if they do not report types.
	least float64
}

var precisions = []precision{
	{"fp32", func(*subject) []trt.Option { return nil }, nil,
		func(s *subject) *matchers.OutputsMatcher { return within(s, order) }, 0},
	{"tf32", func(*subject) []trt.Option { return chosen(trt.TF32()) }, nil,
		func(s *subject) *matchers.OutputsMatcher {
			return within(s, bound(unit16))
		}, unit16 / 16},
	{"fp16", func(s *subject) []trt.Option {
		return convolutions(s, tensor.Float16, trt.FP16())
	}, nil,
		func(s *subject) *matchers.OutputsMatcher {
			return within(s, bound(unit16))
		}, unit16 / 16},
	{"bf16", func(s *subject) []trt.Option {
		return convolutions(s, tensor.BFloat16, trt.BF16())
	}, nil,
		func(s *subject) *matchers.OutputsMatcher {
			return within(s, bound(unitBF))
		}, unitBF / 16},
	// Calibrated with the run's inputs. Eight bits cannot reach 60 dB: see leastSNR.
	{"int8", calibrated,
		func(s *subject) []trt.Option { return convolutions(s, tensor.Int8, calibrated(s)...) },
		quantizedWell, 1e-3},
}

// entropyLoses is the network that loses the most in TensorRT's INT8 with entropy calibration,
// although the same ranges cost no more than others in simulation (docs/evidence/findings.md).
const entropyLoses = "inception_v2"

// calibrated selects INT8 with TensorRT's default calibration, entropy, except for entropyLoses,
// which uses the greatest magnitudes like the bounds.
func calibrated(s *subject) []trt.Option {
	if s.name == entropyLoses {
		return chosen(trt.INT8(), trt.MinMaxCalibration())
	}
	return chosen(trt.INT8())
}

// convolutions requests a precision for every convolution. Otherwise TensorRT uses the fastest for
// one image, possibly float32.
func convolutions(s *subject, t tensor.ElementType, allowed ...trt.Option) []trt.Option {
	options := append(allowed, trt.PrecisionConstraints(trt.Prefer))
	for _, one := range s.network.Nodes() {
		if one.Op == "Conv" {
			options = append(options, trt.LayerPrecision(one.Name, t))
		}
	}
	return options
}

// onGPU returns the common engine options. Level 0 takes the first working kernel, so that 45
// engines build in less than an hour. No engine is built twice, so nothing is cached.
func onGPU(more ...trt.Option) []trt.Option {
	return append([]trt.Option{trt.OptimizationLevel(0), trt.NoEngineCache(),
		trt.Log(GinkgoWriter, slog.LevelWarn)}, more...)
}

// chosen lets TensorRT look for a faster kernel than the first one that works, which is how it
// comes to use a precision that it is only allowed.
func chosen(options ...trt.Option) []trt.Option {
	return append([]trt.Option{trt.OptimizationLevel(1)}, options...)
}

var long = SpecTimeout(10 * time.Minute)

var _ = Describe("TensorRT", Label("gpu"), Ordered, ContinueOnFailure, func() {
	BeforeEach(func() {
		trt.Require(GinkgoT())
		ort.Require(GinkgoT())
	})

	for _, name := range cnn.Names() {
		for _, p := range precisions {
			It("returns ONNX Runtime's logits of "+name+" in "+p.name, func(ctx SpecContext) {
				s := get(ctx, name)
				actual, m := p.run(ctx, s, p.options)
				if p.forced != nil && unused(actual, p.name) {
					actual, m = p.run(ctx, s, p.forced)
				}
				m.record()
				Expect(actual).To(And(matchers.BeFinite(), p.matcher(s).Of(s.expected)))
				Expect(unused(actual, p.name)).To(BeFalse(), actual.Provenance.Options[p.name])
				Expect(m.Norm).To(BeNumerically(">=", p.least),
					"the engine did not compute in the precision: "+actual.Provenance.Options[p.name])
			}, long)
		}
	}
})

// If a later version of TensorRT fails here, remove entropyLoses and the finding.
var _ = Describe("TensorRT 10.6", Label("gpu"), func() {
	It("loses "+entropyLoses+" in INT8 to its own calibration", func(ctx SpecContext) {
		trt.Require(GinkgoT())
		ort.Require(GinkgoT())
		s := get(ctx, entropyLoses)
		byEntropy := precision{name: "int8"}
		actual, m := byEntropy.run(ctx, s, func(*subject) []trt.Option { return chosen(trt.INT8()) })
		m.record()
		if version := actual.Provenance.Version; !strings.HasPrefix(version, "10.6.") {
			Skip("the finding is about TensorRT 10.6; this is " + version)
		}
		Expect(m.SNR).To(BeNumerically("<", leastSNR(s.name)))
	}, long)
})

// run builds and runs a network's engine.
func (p precision) run(ctx SpecContext, s *subject, options func(*subject) []trt.Option) (
	*backends.Run, figures) {
	GinkgoHelper()
	begin := time.Now()
	engine, err := trt.Engine(append(onGPU(options(s)...), trt.WarmUp(1))...).Open(ctx, s.model,
		s.inputs)
	Expect(err).NotTo(HaveOccurred())
	defer engine.Close()
	built := time.Since(begin)
	actual, err := engine.Run(ctx, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	m := measure(actual, s.expected, s)
	m.Precision, m.Build, m.Run = p.name, built.Seconds(), milliseconds(actual)
	if said := actual.Provenance.Options[p.name]; said != "" {
		AddReportEntry(p.name, said)
	}
	return actual, m
}

// unused reports whether, according to the run's provenance, no layer uses the precision.
func unused(run *backends.Run, precision string) bool {
	return strings.HasPrefix(run.Provenance.Options[precision], "not used")
}

// milliseconds is the mean time of an inference.
func milliseconds(run *backends.Run) float64 {
	var total time.Duration
	for _, i := range run.Iterations() {
		total += i.Runtime
	}
	return total.Seconds() * 1000 / float64(len(run.Iterations()))
}
