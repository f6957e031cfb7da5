//go:build linux && cgo

package trt_test

import (
	"math"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("RunWithTensors", Label("mock"), func() {
	x := func() fixtures.Inputs { return feed(floats([]int{2}, -1, 2)) }
	open := func(ctx SpecContext, minor int, options ...trt.Option) *trt.Engine {
		GinkgoHelper()
		e, err := trt.New(ctx, chain("c", 1, 2), on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}

	DescribeTable("gives the tensors that the engine has beside its outputs",
		func(ctx SpecContext, minor int, asked []string, want ...string) {
			run, err := open(ctx, minor).RunWithTensors(ctx, x(), asked)
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Outputs()[0].Names()).To(Equal(want))
			for _, name := range want {
				want := map[string][]float32{"r": {0, 2}, "s": {1, 3}, "y": {1, 3}}[name]
				Expect(values(run, name)).To(Equal(want), name)
			}
		},
		Entry("as outputs", 6, []string{"s", "r"}, "y", "r", "s"),
		Entry("as debug tensors, in one engine", 12, []string{"s", "r"}, "y", "r", "s"),
		Entry("an output is there already", 6, []string{"y"}, "y"),
		Entry("what it lacks is absent", 6, []string{"r", "folded"}, "y", "r"),
		Entry("a name is no pattern", 6, []string{"[rs]"}, "y"),
		Entry("nothing asked", 6, nil, "y"),
	)

	It("builds one engine for all of them, as the first was built", func(ctx SpecContext) {
		for _, minor := range []int{6, 12} {
			text := &log{}
			e := open(ctx, minor, trt.FP16(), trt.Log(text, "verbose"))
			_, err := e.RunWithTensors(ctx, x(), []string{"r", "s"})
			Expect(err).NotTo(HaveOccurred())
			Expect(countOf(text.String(), built)).To(Equal(2))
			Expect(countOf(text.String(), "mock: builder flag 0 on")).To(Equal(2), "FP16")
		}
	})

	It("makes tensors outputs that TensorRT refuses as debug tensors", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "debug")
		run, err := open(ctx, 12).RunWithTensors(ctx, x(), []string{"r"})
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "r")).To(Equal([]float32{0, 2}))
	})

	It("finds the engine in the cache, and what it was asked for", func(ctx SpecContext) {
		folder, text := GinkgoT().TempDir(), &log{}
		for range 2 {
			for _, minor := range []int{6, 12} {
				e := open(ctx, minor, trt.EngineCache(folder), trt.Log(text, "verbose"))
				run, err := e.RunWithTensors(ctx, x(), []string{"r"})
				Expect(err).NotTo(HaveOccurred())
				Expect(values(run, "r")).To(Equal([]float32{0, 2}))
			}
		}
		Expect(countOf(text.String(), built)).To(Equal(4), "two engines of two versions")
	})

	It("gives the model's types where a layer was told another", func() {
		half, err := tensor.Of[float32](1, 70000).Convert(tensor.Float16)
		Expect(err).NotTo(HaveOccurred())
		outputs, err := trt.Typed(set(tensor.Entry{Name: "r", Tensor: half},
			tensor.Entry{Name: "y", Tensor: half}), "r", "float32")
		Expect(err).NotTo(HaveOccurred())
		r, _ := outputs.Get("r")
		Expect(r.ElementType()).To(Equal(tensor.Float32))
		Expect(tensor.Values[float32](r)).To(Equal([]float32{1, float32(math.Inf(1))}))
		y, _ := outputs.Get("y")
		Expect(y.ElementType()).To(Equal(tensor.Float16), "an output is left as it is")
	})

	It("shows nothing of an engine from a plan", func(ctx SpecContext) {
		path := GinkgoT().TempDir() + "/c.engine"
		Expect(open(ctx, 6).Save(path)).To(Succeed())
		e, err := trt.Load(path, on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		run, err := e.RunWithTensors(ctx, x(), []string{"r"})
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].Names()).To(Equal([]string{"y"}))
	})
})

var _ = Describe("Part", Label("mock"), func() {
	var inputs fixtures.Inputs
	BeforeEach(func() {
		inputs = feed(floats([]int{1}, 7), tensor.Entry{Name: "s", Tensor: tensor.Of[int64](2, 3)})
	})
	run := func(ctx SpecContext, options ...trt.Option) (*backends.Run, string, error) {
		GinkgoHelper()
		text := &log{}
		run, err := trt.Run(ctx, expand(), inputs, on(mock(10, 6),
			append(options, trt.Log(text, "verbose"))...)...)
		return run, text.String(), err
	}
	whole := trt.Profile(trt.Range("image", tensor.Shape{1}, tensor.Shape{2}, tensor.Shape{3}))

	It("derives the profile from the part's inputs, shape inputs among them", func(ctx SpecContext) {
		_, _, err := run(ctx, whole)
		Expect(err).To(MatchError(ContainSubstring(`input "s" holds shapes and has no trt.Values`)))
		got, text, err := run(ctx, whole, trt.Part(inputs))
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Outputs()[0].Names()).To(Equal([]string{"y"}))
		Expect(text).To(ContainSubstring("mock: values of s: 2"))
	})

	It("keeps what the model's chosen profile says of shared inputs", func(ctx SpecContext) {
		values := func(lowest int64) trt.Option {
			return trt.Profile(trt.Values("s", []int64{lowest, 1}, []int64{2, 3}, []int64{4, 4}))
		}
		_, text, err := run(ctx, values(0), values(1), trt.ProfileIndex(1),
			trt.Part(inputs))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("mock: values of s: 1\n"))
		Expect(text).NotTo(ContainSubstring("mock: values of s: 0\n"))
	})

	DescribeTable("passes over names that the part lacks",
		func(ctx SpecContext, option trt.Option, message string) {
			_, _, err := run(ctx, option)
			Expect(err).To(MatchError(ContainSubstring(message)))
			_, _, err = run(ctx, option, trt.Part(inputs))
			Expect(err).NotTo(HaveOccurred())
		},
		Entry("a layer", trt.LayerPrecision("conv1", tensor.Float16), `"conv1"`),
		Entry("an input's type", trt.TensorType("image", tensor.Float16), `"image"`),
		Entry("an output's formats", trt.TensorFormats("scores", "LINEAR"), `"scores"`),
		Entry("a mark", trt.Mark("features"), `"features"`),
		Entry("a profile", whole, `"s"`),
	)

	It("says what a pattern fits in the part, and obeys it", func(ctx SpecContext) {
		_, text, err := run(ctx, trt.FP16(), trt.PrecisionConstraints("obey"),
			trt.LayerPrecision("*", tensor.Float16), trt.Part(inputs))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("mock: layer expand computes in type 1"))
	})

	It("calibrates with the part's inputs, and leaves the model's cache alone",
		func(ctx SpecContext) {
			cache, text := GinkgoT().TempDir()+"/scales", &log{}
			images := fixtures.Of(set(floats([]int{2}, 7, 7)), set(floats([]int{2}, 8, 8)))
			part := feed(floats([]int{2}, 1, 1))
			int8 := trt.INT8(trt.Calibrate(images), trt.CalibrationCache(cache))
			calibrated := func(options ...trt.Option) {
				GinkgoHelper()
				_, err := trt.Run(ctx, chain("c", 1, 2), part, on(mock(10, 6),
					append(options, int8, trt.Log(text, "verbose"))...)...)
				Expect(err).NotTo(HaveOccurred())
			}
			calibrated(trt.Part(part))
			Expect(cache).NotTo(BeAnExistingFile())
			calibrated()
			Expect(cache).To(BeAnExistingFile())
			calibrated(trt.Part(part))
			Expect(text.String()).To(ContainSubstring("mock: calibration cache of"))
		})

	It("records no tactics of a part, nor of what shows the inside", func(ctx SpecContext) {
		tactics := GinkgoT().TempDir() + "/tactics.json"
		_, _, err := run(ctx, trt.SaveTactics(tactics), trt.Part(inputs))
		Expect(err).NotTo(HaveOccurred())
		Expect(tactics).NotTo(BeAnExistingFile())
		e, err := trt.New(ctx, chain("c", 1, 2), on(mock(10, 6), trt.SaveTactics(tactics))...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		Expect(os.Remove(tactics)).To(Succeed())
		_, err = e.RunWithTensors(ctx, feed(floats([]int{2}, -1, 2)), []string{"r"})
		Expect(err).NotTo(HaveOccurred())
		Expect(tactics).NotTo(BeAnExistingFile())
	})

	It("is an error where its inputs are", func(ctx SpecContext) {
		_, _, err := run(ctx, trt.Part(fixtures.Load("absent.npz")))
		Expect(err).To(MatchError(ContainSubstring("profile from the part's inputs")))
	})
})
