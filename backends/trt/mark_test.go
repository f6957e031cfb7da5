//go:build linux && cgo

package trt_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
)

var _ = Describe("looking inside a network", Label("mock"), func() {
	x := func() []float32 { return []float32{-1, 2} }
	names := func(ctx SpecContext, options ...trt.Option) []string {
		GinkgoHelper()
		run, err := trt.Run(ctx, chain("c", 1, 2), feed(floats([]int{2}, x()...)),
			on(mock(10, 6), options...)...)
		Expect(err).NotTo(HaveOccurred())
		for _, name := range run.Outputs()[0].Names() {
			want := map[string][]float32{"r": {0, 2}, "s": {1, 3}, "y": {1, 3}}
			Expect(values(run, name)).To(Equal(want[name]), name)
		}
		return run.Outputs()[0].Names()
	}

	DescribeTable("gives the marked tensors after the outputs",
		func(ctx SpecContext, option trt.Option, want ...string) {
			Expect(names(ctx, option)).To(Equal(want))
		},
		Entry("all", trt.MarkAll(), "y", "r", "s"),
		Entry("by name", trt.Mark("s"), "y", "s"),
		Entry("by pattern", trt.Mark("[rs]"), "y", "r", "s"),
		Entry("by layer type", trt.MarkTypes("activation"), "y", "r"),
		Entry("without the output", trt.Options(trt.Mark("r"), trt.Unmark("y")), "r"),
		Entry("a debug tensor", trt.Debug("r"), "y", "r"),
		Entry("debug tensors by pattern, but no output", trt.Debug("*"), "y", "r", "s"),
	)

	It("reads each debug tensor from an engine of its own", func(ctx SpecContext) {
		// The mock of 10.6 aborts where two are marked together, as 10.6 itself does.
		text := &log{}
		Expect(names(ctx, trt.Debug("r", "s"), trt.Log(text, "verbose"))).
			To(Equal([]string{"y", "r", "s"}))
		Expect(countOf(text.String(), built)).To(Equal(3))
	})

	It("makes a refused debug tensor an output, and says so", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "debug")
		run, err := trt.Run(ctx, chain("c", 1, 2), feed(floats([]int{2}, x()...)),
			on(mock(10, 6), trt.Debug("s"))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].Names()).To(Equal([]string{"y", "s"}))
		Expect(values(run, "s")).To(Equal([]float32{1, 3}))
		Expect(run.Provenance.Options).To(HaveKeyWithValue("debug s",
			"read as an output: TensorRT refuses it as a debug tensor"))
	})

	It("finds the debug tensors again in the engine cache", func(ctx SpecContext) {
		folder, text := GinkgoT().TempDir(), &log{}
		for range 2 {
			names(ctx, trt.Debug("[rs]"), trt.EngineCache(folder), trt.Log(text, "verbose"))
		}
		Expect(countOf(text.String(), built)).To(Equal(3))
	})

	for _, version := range [][2]int{{10, 12}, {11, 1}} {
		It("reads the tensors that are left after fusion", func(ctx SpecContext) {
			run, err := trt.Run(ctx, chain("c", 1, 2), feed(floats([]int{2}, x()...)),
				on(mock(version[0], version[1]), trt.DebugUnfused(), trt.Unmark("y"),
					trt.Mark("r"))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Outputs()[0].Names()).To(Equal([]string{"r", "s", "y"}))
		})
	}
})
