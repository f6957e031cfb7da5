//go:build linux && cgo

package trt_test

import (
	"log/slog"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("the weights of an engine on a GPU", Label("gpu"), func() {
	BeforeEach(needBoth)

	var folder string
	BeforeEach(func() { folder = GinkgoT().TempDir() })

	built := func(ctx SpecContext, options ...trt.Option) *trt.Backend {
		GinkgoHelper()
		e, err := trt.New(ctx, digits, images, onGPU(options...)...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}
	saved := func(e *trt.Backend, name string) string {
		GinkgoHelper()
		path := filepath.Join(folder, name)
		Expect(e.Save(path)).To(Succeed())
		AddReportEntry("bytes of the "+name+" plan", size(path))
		return path
	}
	loaded := func(path string) *trt.Backend {
		GinkgoHelper()
		e, err := trt.Load(path, trt.Log(GinkgoWriter, slog.LevelWarn))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}
	right := func(ctx SpecContext, e *trt.Backend) {
		GinkgoHelper()
		Expect(e.Information()).To(HaveField("Stripped", false))
		Expect(e.Run(ctx, images)).To(
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images)))
	}

	DescribeTable("come into a stripped plan from its model",
		func(ctx SpecContext, o trt.Option) {
			e := built(ctx, o)
			right(ctx, e)
			plan := saved(e, "stripped")

			stripped := loaded(plan)
			Expect(stripped.Information()).To(HaveField("Stripped", true))
			_, err := stripped.Run(ctx, images)
			Expect(err).To(MatchError(ContainSubstring("built without weights")))

			whole, err := trt.Plan(plan, trt.Log(GinkgoWriter, slog.LevelWarn)).Open(ctx, digits, images)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(whole.Close)
			right(ctx, whole.(*trt.Backend))
		},
		Entry("that can be refitted", long, trt.StripPlan()),
		// What NVIDIA's own tools strip.
		Entry("with STRIP_PLAN alone", long, trt.StripAlone()),
		Entry("with REFIT_IDENTICAL", long, trt.Options(trt.StripAlone(),
			trt.Flag("REFIT_IDENTICAL"))),
	)

	DescribeTable("are not missed in a plan that has them", func(ctx SpecContext, o trt.Option) {
		e := built(ctx, o)
		right(ctx, e)
		right(ctx, loaded(saved(e, "whole")))
	},
		Entry("without an option", long, trt.Options()),
		Entry("and is refittable", long, trt.Refittable()),
		Entry("and can be refitted with the same weights alone", long,
			trt.Flag("REFIT_IDENTICAL")),
	)
})
