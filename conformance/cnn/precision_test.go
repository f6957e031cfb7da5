package cnn_test

import (
	"math"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/conformance/cnn"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// Both sides compute the same network; what parts them is how they round. Rounding to p bits of
// mantissa errs by up to the unit roundoff u = 2⁻ᵖ of each value. A logit is made of many values
// that err independently, and a layer carries on what the ones before erred, damped: with every
// weight and every tensor rounded, the nine err by 1 to 3.1 u of their greatest logit, whether they
// are 8 layers deep or 121 (bound_test.go holds them to it). Five times that leaves room for
// kernels that also add up in FP16.
func bound(u float64) float64 { return 16 * u }

// Units of roundoff. TF32 has FP16's mantissa and float32's exponent.
const (
	unit16 = 1.0 / (1 << 11) // FP16 and TF32
	unitBF = 1.0 / (1 << 8)
)

// order is the bound in float32, where rounding at 2⁻²⁴ is nothing beside the order of additions:
// √k·2⁻²⁴ for k of up to 25088 terms is 1e-5, and a Winograd transform costs another digit.
const order = 1e-4

// leastSNR is the signal-to-noise ratio in decibels that INT8 keeps. A value of eight bits errs by
// a step of its tensor's scale, 1/127 of the greatest magnitude: some 33 dB below values that are
// spread like a normal distribution. With all weights and tensors rounded so, the networks keep 26
// to 33 dB, and densenet121, the deepest, 11 dB (bound_test.go). Calibration by entropy also clips;
// 6 dB or more, an error twice as great, are left to it, which is enough but for [entropyLoses].
func leastSNR(name string) float64 {
	if name == "densenet121" {
		return 5
	}
	return 17
}

// quantizedWell is what INT8 is held to. Noise that is independent of the signal turns the outputs'
// vector by an angle with cos² = 1/(1+noise/signal).
func quantizedWell(s *subject) *matchers.OutputsMatcher {
	snr := leastSNR(s.name)
	return matchers.MatchOutputs(compare.SNR(snr),
		compare.CosineSimilarity(1/math.Sqrt(1+math.Pow(10, -snr/10)))).AnyElementType()
}

// within is what every other precision is held to: the greatest error, relative to the greatest
// logit. A convolution that gives the logits may give them in its own precision.
func within(s *subject, relative float64) *matchers.OutputsMatcher {
	return matchers.MatchOutputsWithin(relative*s.scale, 0, matchers.Max).AnyElementType()
}

// precision is one row of the table.
type precision struct {
	name    string // that of the provenance's key as well
	options func(*subject) []trt.Option
	// told is for an engine that does not use the precision when TensorRT chooses.
	told    func(*subject) []trt.Option
	matcher func(*subject) *matchers.OutputsMatcher
	// least is an error, norm-wise, that the precision cannot be without: an engine that answers in
	// float32 all the same is found out, also where it does not tell its types.
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
	// Calibrated with the inputs of the run. 60 dB is far more than 8 bits keep: see leastSNR.
	{"int8", calibrated,
		func(s *subject) []trt.Option { return convolutions(s, tensor.Int8, calibrated(s)...) },
		quantizedWell, 1e-3},
}

// entropyLoses is the network of which TensorRT's engine loses most in INT8 where the ranges are
// those of its entropy calibration, though the same ranges cost no more than others when they are
// simulated (docs/findings.md).
const entropyLoses = "inception_v2"

// calibrated is INT8 by the calibration that TensorRT has where nothing else is said, entropy, but
// for entropyLoses by the greatest magnitudes, which are what the bounds rest on.
func calibrated(s *subject) []trt.Option {
	if s.name == entropyLoses {
		return chosen(trt.INT8(), trt.CalibrateBy(trt.MinMaxCalibration))
	}
	return chosen(trt.INT8())
}

// convolutions prefers a precision in every convolution: left to itself, TensorRT takes what is
// fastest for one image, which may be float32.
func convolutions(s *subject, t tensor.ElementType, allowed ...trt.Option) []trt.Option {
	options := append(allowed, trt.PrecisionConstraints(trt.Prefer))
	for _, one := range s.network.Nodes() {
		if one.Op == "Conv" {
			options = append(options, trt.LayerPrecision(one.Name, t))
		}
	}
	return options
}

// onGPU is the options of every engine here. Level 0 takes the first kernel that works: 45 engines
// shall not take an hour. None is built twice, so none is kept.
func onGPU(more ...trt.Option) []trt.Option {
	return append([]trt.Option{trt.OptimizationLevel(0), trt.NoEngineCache(),
		trt.Log(GinkgoWriter, trt.LogWarning)}, more...)
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
			It("gives ONNX Runtime's logits of "+name+" in "+p.name, func(ctx SpecContext) {
				s := get(ctx, name)
				actual, m := p.run(ctx, s, p.options)
				if p.told != nil && unused(actual, p.name) {
					actual, m = p.run(ctx, s, p.told)
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

// A version of TensorRT that no longer does this fails here: entropyLoses and the finding go then.
var _ = Describe("TensorRT 10.6", Label("gpu"), func() {
	It("loses "+entropyLoses+" in INT8 to its own calibration", func(ctx SpecContext) {
		trt.Require(GinkgoT())
		ort.Require(GinkgoT())
		s := get(ctx, entropyLoses)
		byEntropy := precision{name: "int8"}
		actual, m := byEntropy.run(ctx, s, func(*subject) []trt.Option { return chosen(trt.INT8()) })
		m.record()
		if version := actual.Provenance.Version; !strings.HasPrefix(version, "10.6.") {
			Skip("the finding is of TensorRT 10.6, and this is " + version)
		}
		Expect(m.SNR).To(BeNumerically("<", leastSNR(s.name)))
	}, long)
})

// run builds a network's engine and runs it.
func (p precision) run(ctx SpecContext, s *subject, options func(*subject) []trt.Option) (
	*backends.Run, figures) {
	GinkgoHelper()
	begin := time.Now()
	engine, err := trt.New(ctx, s.model, s.inputs, append(onGPU(options(s)...), trt.WarmUp(1))...)
	Expect(err).NotTo(HaveOccurred())
	defer engine.Close()
	built := time.Since(begin)
	actual, err := engine.Run(ctx, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	m := measure(actual, s)
	m.Precision, m.Build, m.Run = p.name, built.Seconds(), milliseconds(actual)
	if said := actual.Provenance.Options[p.name]; said != "" {
		AddReportEntry(p.name, said)
	}
	return actual, m
}

// unused reports whether a run's provenance says that a precision is used nowhere.
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
