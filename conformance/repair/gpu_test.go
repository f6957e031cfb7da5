package repair_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("TensorRT in FP16", Label("gpu"), func() {
	It("misses a tolerance, meets it after repair, and reports the cost", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		trt.Require(GinkgoT())
		wheel := os.Getenv(cnn.WheelVariable)
		if wheel == "" {
			Skip("ONNX's topologies are not here: run make cnn")
		}
		model, inputs := network(wheel, "squeezenet")
		reference := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
		half := obeying(trt.TimingCache(filepath.Join(GinkgoT().TempDir(), "timings")))
		exact, err := backends.RunIn(ctx, reference.Engine, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		plain, err := backends.RunIn(ctx, half, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		a, e := plain.Outputs()[0].At(0).Tensor, exact.Outputs()[0].At(0).Tensor
		worst := 0.0
		for i := range e.Len() {
			worst = math.Max(worst, math.Abs(a.Float64At(i)-e.Float64At(i)))
		}
		rule := compare.Options{Checks: []compare.Check{
			compare.Within(worst/2, 0, compare.Elementwise)}}

		found, err := precision.Repair{Format: precision.FP16, Rule: rule,
			Engine: half, Builds: 10,
			Progress: func(line string) { GinkgoWriter.Println(line) }}.Find(ctx, reference)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Report.Verdict).To(Equal(compare.Pass))
		names, err := found.Named()
		Expect(err).NotTo(HaveOccurred())
		Expect(names).NotTo(BeEmpty())
		kept, err := backends.CapabilitiesOf(half).Raise(names, tensor.Float32)
		Expect(err).NotTo(HaveOccurred())

		many := fixtures.Random(model, fixtures.Seed(3), fixtures.ValRange(-1, 1),
			fixtures.Iterations(50))
		for name, engine := range map[string]backends.Engine{"all in FP16": half, "repaired": kept,
			"float32": trt.Engine()} {
			run, err := backends.RunIn(ctx, engine, model, many)
			Expect(err).NotTo(HaveOccurred())
			AddReportEntry(name, fmt.Sprint(median(run)))
		}
		AddReportEntry("repaired", found.Text())
	}, SpecTimeout(20*time.Minute))

	It("is repaired by the same nodes if all engines are built again", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		trt.Require(GinkgoT())
		model := loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
		inputs := fixtures.Random(model, fixtures.Seed(3), fixtures.Shape("image", 8, 1, 8, 8))
		reference := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
		rule := compare.Options{Checks: []compare.Check{
			compare.Within(plainError(ctx, reference)/2, 0, compare.Elementwise)}}
		timings := trt.TimingCache(filepath.Join(GinkgoT().TempDir(), "timings"))
		var found []*precision.Repaired
		for range 2 {
			one, err := precision.Repair{Format: precision.FP16, Rule: rule,
				Engine:   obeying(timings, trt.NoEngineCache()),
				Progress: func(line string) { GinkgoWriter.Println(line) }}.Find(ctx, reference)
			Expect(err).NotTo(HaveOccurred())
			AddReportEntry("repaired", one.Text())
			found = append(found, one)
		}
		Expect(found[1].Keep).To(Equal(found[0].Keep))
		Expect(found[1].Builds).To(Equal(found[0].Builds))
		// The timings come from the first search; nothing was measured again.
		Expect(found[1].Judging).To(BeNumerically("<", found[0].Judging))
	}, SpecTimeout(20*time.Minute))

	It("takes the repaired model with casts, strongly typed", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		trt.Require(GinkgoT())
		wheel := os.Getenv(cnn.WheelVariable)
		if wheel == "" {
			Skip("ONNX's topologies are not here: run make cnn")
		}
		model, inputs := network(wheel, "squeezenet")
		reference := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
		atol := plainError(ctx, reference) / 2
		rule := compare.Options{Checks: []compare.Check{compare.Within(atol, 0, compare.Elementwise)}}
		found, err := precision.Repair{Format: precision.FP16, Rule: rule}.Find(ctx, reference)
		Expect(err).NotTo(HaveOccurred())
		lowered, err := found.Lowered()
		Expect(err).NotTo(HaveOccurred())
		exact, err := backends.RunIn(ctx, reference.Engine, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		typed, err := backends.RunIn(ctx, trt.Engine(trt.StronglyTyped()), lowered, inputs)
		Expect(err).NotTo(HaveOccurred())
		// TensorRT's kernels round additionally; only FP16's own error may remain.
		report, err := compare.Runs(typed.Outputs(), exact.Outputs(), compare.Options{
			Checks: []compare.Check{compare.Within(2*atol, 0, compare.Elementwise)}})
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("strongly typed", report.Text())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
	}, SpecTimeout(20*time.Minute))
})

// obeying forces FP16 in every layer. Otherwise the builder might use float32 where it is as fast.
func obeying(options ...trt.Option) backends.Engine {
	return trt.Engine(append([]trt.Option{trt.FP16(), trt.PrecisionConstraints(trt.Obey),
		trt.LayerPrecision("*", tensor.Float16)}, options...)...)
}

// median is the median inference time.
func median(run *backends.Run) time.Duration {
	var all []time.Duration
	for _, i := range run.Iterations() {
		all = append(all, i.Runtime)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
