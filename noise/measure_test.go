package noise_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

const digitsFile = "../example_test/digits/testdata/digits.onnx"

func digits() (*loaders.Model, fixtures.Inputs) {
	model := loaders.ONNX(digitsFile)
	return model, fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8), fixtures.Iterations(2))
}

// judge compares a run with another by that run's noise.
func judge(actual, expected *backends.Run) compare.Report {
	GinkgoHelper()
	measured, err := noise.Of(expected, noise.CacheIn(GinkgoT().TempDir()))
	Expect(err).NotTo(HaveOccurred())
	report, err := compare.WithinNoise(actual.Outputs(), expected.Outputs(), measured,
		compare.Bars{}, compare.Options{})
	Expect(err).NotTo(HaveOccurred())
	for _, o := range report.Outputs {
		GinkgoWriter.Println(o.Name, o.Results)
	}
	return report
}

func run(ctx context.Context, engine backends.Engine, model fixtures.Declaration,
	inputs fixtures.Inputs) *backends.Run {
	GinkgoHelper()
	run, err := backends.RunIn(ctx, engine, model, inputs)
	Expect(err).NotTo(HaveOccurred())
	return run
}

var _ = Describe("Noise of the digits model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("does not appear in the suite's list of runs", func(ctx SpecContext) {
		model, inputs := digits()
		tally.Take()
		first, second := run(ctx, ort.Engine(), model, inputs), run(ctx, ort.Engine(), model, inputs)
		made := first.Provenance
		expected := []tally.Run{{Engine: made.String(), Name: made.Backend, Version: made.Version,
			Model: "digits.onnx"}}
		Expect(judge(first, second).Verdict).To(Equal(compare.Pass))
		Expect(tally.Take()).To(Equal(expected))
	})

	DescribeTable("explains the differences between correct engines",
		func(ctx SpecContext, require func(backends.T), engine func() backends.Engine) {
			require(GinkgoT())
			model, inputs := digits()
			report := judge(run(ctx, engine(), model, inputs), run(ctx, ort.Engine(), model, inputs))
			Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
		},
		Entry("ONNX Runtime without optimisation", requireORT, optimized(ort.OptimizeNone)),
		Entry("ONNX Runtime with basic ones", requireORT, optimized(ort.OptimizeBasic)),
		Entry("ONNX Runtime with extended ones", requireORT, optimized(ort.OptimizeExtended)),
		Entry("ONNX Runtime on one thread", requireORT,
			func() backends.Engine { return ort.Engine(ort.Threads(1)) }),
		Entry("ONNX Runtime on two threads", requireORT,
			func() backends.Engine { return ort.Engine(ort.Threads(2)) }),
		Entry("OpenVINO", func(t backends.T) { openvino.Require(t) },
			func() backends.Engine { return openvino.Engine() }),
		Entry("tract", func(t backends.T) { tract.Require(t) },
			func() backends.Engine { return tract.Engine() }),
	)

	It("does not explain lower precision", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		model, inputs := digits()
		report := judge(run(ctx, tract.Engine(tract.FP16()), model, inputs),
			run(ctx, ort.Engine(), model, inputs))
		Expect(report.Verdict).To(Equal(compare.Fail))
		Expect(report.Outputs[0].Reason).To(MatchRegexp(
			`beyond noise: rms error \S+ σ \(limit \S+\), largest`))
	})

	It("is the same each time", func(ctx SpecContext) {
		model, inputs := digits()
		subject := run(ctx, ort.Engine(ort.Threads(1)), model, inputs).Subject()
		first, err := noise.Measure(ctx, subject, noise.Runs(5))
		Expect(err).NotTo(HaveOccurred())
		Expect(noise.Measure(ctx, subject, noise.Runs(5))).To(Equal(first))
		Expect(noise.Measure(ctx, subject, noise.Runs(5), noise.Seed(2))).NotTo(Equal(first))
		Expect(first.Runs).To(Equal(5))
		Expect(first.Addends).To(BeNumerically(">", 1))
	})
})

func requireORT(t backends.T) { ort.Require(t) }

func optimized(level ort.Level) func() backends.Engine {
	return func() backends.Engine { return ort.Engine(ort.OptimizationLevel(level)) }
}

func set(name string, t *tensor.Tensor) *tensor.Set {
	set, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
	if err != nil {
		panic(err)
	}
	return set
}
