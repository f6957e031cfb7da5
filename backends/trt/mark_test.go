//go:build linux && cgo

package trt_test

import (
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
)

var _ = Describe("looking inside a network", Label("mock"), func() {
	x := func() []float32 { return []float32{-1, 2} }
	inside := func(ctx SpecContext, minor int, options ...trt.Option) *backends.Run {
		GinkgoHelper()
		run, err := trt.Run(ctx, chain("c", 1, 2), feed(floats([]int{2}, x()...)),
			on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	names := func(ctx SpecContext, minor int, options ...trt.Option) []string {
		GinkgoHelper()
		run := inside(ctx, minor, options...)
		for _, name := range run.Outputs()[0].Names() {
			want := map[string][]float32{"r": {0, 2}, "s": {1, 3}, "y": {1, 3}}
			Expect(values(run, name)).To(Equal(want[name]), name)
		}
		return run.Outputs()[0].Names()
	}

	DescribeTable("gives the marked tensors after the outputs",
		func(ctx SpecContext, option trt.Option, want ...string) {
			Expect(names(ctx, 6, option)).To(Equal(want))
			Expect(names(ctx, 12, option)).To(Equal(want))
		},
		Entry("instead of the outputs", trt.MarkOnly("r"), "r"),
		Entry("instead of them, by patterns", trt.MarkOnly("[ry]"), "y", "r"),
		Entry("all", trt.MarkAll(), "y", "r", "s"),
		Entry("next to the outputs", trt.MarkOnly("y", "s"), "y", "s"),
		Entry("by layer type", trt.MarkTypes("activation"), "y", "r"),
		Entry("without the output", trt.Options(trt.MarkAll(), trt.Unmark("[ys]")), "r"),
		Entry("a debug tensor", trt.Debug("r"), "y", "r"),
		Entry("debug tensors by pattern, but no output", trt.Debug("*"), "y", "r", "s"),
	)

	It("reads debug tensors from the engine itself", func(ctx SpecContext) {
		text := &log{}
		Expect(names(ctx, 12, trt.Debug("r", "s"), trt.Log(text, slog.LevelDebug))).
			To(Equal([]string{"y", "r", "s"}))
		Expect(countOf(text.String(), built)).To(Equal(1))
		Expect(inside(ctx, 12, trt.Debug("r")).Provenance.Options).NotTo(HaveKey("debug tensors"))
	})

	It("gives no debug tensor to a TensorRT that may crash over it, and says so",
		func(ctx SpecContext) {
			// The mock of 10.6 aborts over any, as 10.6 itself does over some.
			run := inside(ctx, 6, trt.Debug("r"))
			Expect(values(run, "r")).To(Equal([]float32{0, 2}))
			Expect(run.Provenance.Options).To(HaveKeyWithValue("debug tensors",
				"returned as outputs, which may change how layers are fused"))
		})

	It("refuses an engine that does not give the debug tensor", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "name")
		_, err := trt.Run(ctx, chain("c", 1, 2), feed(floats([]int{2}, x()...)),
			on(mock(10, 6), trt.Debug("r"))...)
		Expect(err).To(MatchError(ContainSubstring(
			`the engine with debug tensor "r" returns only y, (Unnamed Layer* 2)`)))
	})

	It("makes a refused debug tensor an output, and says so", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "debug")
		run := inside(ctx, 12, trt.Debug("s"))
		Expect(run.Outputs()[0].Names()).To(Equal([]string{"y", "s"}))
		Expect(values(run, "s")).To(Equal([]float32{1, 3}))
		Expect(run.Provenance.Options).To(HaveKeyWithValue("debug tensors",
			"returned as outputs, which may change how layers are fused"))
	})

	It("finds the debug tensors again in the engine cache", func(ctx SpecContext) {
		folder, text := GinkgoT().TempDir(), &log{}
		for range 2 {
			names(ctx, 12, trt.Debug("[rs]"), trt.EngineCache(folder), trt.Log(text, slog.LevelDebug))
		}
		Expect(countOf(text.String(), built)).To(Equal(1))
	})

	for _, version := range [][2]int{{10, 12}, {11, 1}} {
		It("reads the tensors that are left after fusion", func(ctx SpecContext) {
			run, err := trt.Run(ctx, chain("c", 1, 2), feed(floats([]int{2}, x()...)),
				on(mock(version[0], version[1]), trt.DebugUnfused(),
					trt.MarkOnly("r"))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Outputs()[0].Names()).To(Equal([]string{"r", "s", "y"}))
		})
	}
})
