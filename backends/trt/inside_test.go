//go:build linux && cgo

package trt_test

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("RunWithTensors", Label("mock"), func() {
	x := func() fixtures.Inputs { return feed(floats([]int{2}, -1, 2)) }
	open := func(ctx SpecContext, minor int, options ...trt.Option) *trt.Backend {
		GinkgoHelper()
		e, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}

	DescribeTable("returns tensors of the engine that are not outputs",
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
		Entry("a name is not a pattern", 6, []string{"[rs]"}, "y"),
		Entry("nothing asked", 6, nil, "y"),
	)

	It("builds one engine for all of them, as the first was built", func(ctx SpecContext) {
		for _, minor := range []int{6, 12} {
			text := &log{}
			e := open(ctx, minor, trt.FP16(), trt.Log(text, slog.LevelDebug))
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
				e := open(ctx, minor, trt.EngineCache(folder), trt.Log(text, slog.LevelDebug))
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
			tensor.Entry{Name: "y", Tensor: half}), "r", tensor.Float32)
		Expect(err).NotTo(HaveOccurred())
		r, _ := outputs.Get("r")
		Expect(r.ElementType()).To(Equal(tensor.Float32))
		Expect(tensor.Values[float32](r)).To(Equal([]float32{1, float32(math.Inf(1))}))
		y, _ := outputs.Get("y")
		Expect(y.ElementType()).To(Equal(tensor.Float16), "an output is left as it is")
	})

	It("is not what a plan can do", func() {
		Expect(backends.CapabilitiesOf(trt.Plan("c.plan")).RunWithTensors).To(BeNil())
	})
})

var _ = Describe("the engine for parts of a model", Label("mock"), func() {
	whole := chain("whole.onnx", 1, "n")
	var inputs fixtures.Inputs
	BeforeEach(func() {
		inputs = feed(floats([]int{1}, 7), tensor.Entry{Name: "s", Tensor: tensor.Of[int64](2, 3)})
	})
	// part runs a part in the engine that is for the whole, and gives TensorRT's log.
	part := func(ctx SpecContext, m *loaders.Model, in fixtures.Inputs, options ...trt.Option) (
		*backends.Run, string, error) {
		GinkgoHelper()
		text := &log{}
		parts, forget, err := backends.ForParts(ctx, trt.Engine(on(mock(10, 6),
			append(options, trt.Log(text, slog.LevelDebug))...)...), whole, feed(floats([]int{2}, 1, 2)))
		Expect(err).NotTo(HaveOccurred())
		defer forget()
		run, err := backends.RunIn(ctx, parts, m, in)
		return run, text.String(), err
	}
	itself := func(ctx SpecContext, options ...trt.Option) error {
		_, err := trt.Run(ctx, expand(), inputs, on(mock(10, 6), options...)...)
		return err
	}
	profile := trt.Profile(trt.Range("image", tensor.Shape{1}, tensor.Shape{2}, tensor.Shape{3}))

	It("derives the profile from the part's inputs, shape inputs among them", func(ctx SpecContext) {
		Expect(itself(ctx, profile)).To(
			MatchError(ContainSubstring(`input "s" is a shape input, for which the profile has no ` +
				`trt.Values`)))
		run, text, err := part(ctx, expand(), inputs, profile)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].Names()).To(Equal([]string{"y"}))
		Expect(text).To(ContainSubstring("mock: values of s: 2"))
		Expect(run.Subject().Model).To(HaveField("Name()", "expand.onnx"))
	})

	It("keeps what the model's chosen profile says of shared inputs", func(ctx SpecContext) {
		values := func(lowest int64) trt.Option {
			return trt.Profile(trt.Values("s", []int64{lowest, 1}, []int64{2, 3}, []int64{4, 4}))
		}
		_, text, err := part(ctx, expand(), inputs, values(0), values(1), trt.ProfileIndex(1))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("mock: values of s: 1\n"))
		Expect(text).NotTo(ContainSubstring("mock: values of s: 0\n"))
	})

	DescribeTable("passes over names that the part lacks",
		func(ctx SpecContext, option trt.Option, message string) {
			Expect(itself(ctx, option)).To(MatchError(ContainSubstring(message)))
			_, _, err := part(ctx, expand(), inputs, option)
			Expect(err).NotTo(HaveOccurred())
		},
		Entry("a layer", trt.LayerPrecision("conv1", tensor.Float16), `"conv1"`),
		Entry("an input's type", trt.TensorType("image", tensor.Float16), `"image"`),
		Entry("an output's formats", trt.TensorFormats("scores", trt.Linear), `"scores"`),
		Entry("a mark", trt.MarkOnly("features"), `"features"`),
		Entry("a profile", profile, `"s"`),
	)

	It("says what a pattern fits in the part, and obeys it", func(ctx SpecContext) {
		_, text, err := part(ctx, expand(), inputs, trt.FP16(), trt.PrecisionConstraints(trt.Obey),
			trt.LayerPrecision("*", tensor.Float16))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("mock: layer expand computes in type 1"))
	})

	It("calibrates with the part's inputs, and leaves the model's cache alone",
		func(ctx SpecContext) {
			cache := GinkgoT().TempDir() + "/scales"
			images := fixtures.Of(set(floats([]int{2}, 7, 7)), set(floats([]int{2}, 8, 8)))
			options := []trt.Option{trt.INT8(), trt.Calibrate(images), trt.CalibrationCache(cache)}
			own := feed(floats([]int{2}, 1, 1))
			_, text, err := part(ctx, chain("part", 1, 2), own, options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(text).To(ContainSubstring("mock: calibration algorithm 2"))
			Expect(cache).NotTo(BeAnExistingFile())
			_, err = trt.Run(ctx, chain("c", 1, 2), own, on(mock(10, 6), options...)...)
			Expect(err).NotTo(HaveOccurred())
			Expect(os.ReadFile(cache)).To(BeEquivalentTo("scales of 2 batches, first values 15"))
			_, text, err = part(ctx, chain("part", 1, 2), own, options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(text).To(ContainSubstring("mock: calibration cache of"))
		})

	It("does not calibrate parts of a model that holds its scales", func(ctx SpecContext) {
		text := &log{}
		parts, forget, err := backends.ForParts(ctx, trt.Engine(on(mock(10, 6), trt.INT8(),
			trt.Log(text, slog.LevelDebug))...), one("QuantizeLinear", onnxFloat, 2), none)
		Expect(err).NotTo(HaveOccurred())
		defer forget()
		_, err = backends.RunIn(ctx, parts, chain("part", 1, 2), feed(floats([]int{2}, 1, 1)))
		Expect(err).NotTo(HaveOccurred())
		Expect(text.String()).To(ContainSubstring("builder flag 1 on"))
		Expect(text.String()).NotTo(ContainSubstring("calibration algorithm"))
	})

	It("shares one timing cache among the parts and the model, until it is forgotten",
		func(ctx SpecContext) {
			temporary := GinkgoT().TempDir()
			setenv("TMPDIR", temporary)
			files := func() []string {
				GinkgoHelper()
				found, err := filepath.Glob(temporary + "/*/timings")
				Expect(err).NotTo(HaveOccurred())
				return found
			}
			parts, forget, err := backends.ForParts(ctx, trt.Engine(on(mock(10, 6))...), whole,
				feed(floats([]int{2}, 1, 2)))
			Expect(err).NotTo(HaveOccurred())
			for _, m := range []*loaders.Model{whole, chain("part", 1, 2)} {
				_, err := backends.RunIn(ctx, parts, m, feed(floats([]int{2}, 1, 2)))
				Expect(err).NotTo(HaveOccurred())
				Expect(files()).To(HaveLen(1))
			}
			forget()
			Expect(files()).To(BeEmpty())

			own := filepath.Join(temporary, "own")
			_, forget, err = backends.ForParts(ctx, trt.Engine(on(mock(10, 6),
				trt.TimingCache(own))...), whole, feed(floats([]int{2}, 1, 2)))
			Expect(err).NotTo(HaveOccurred())
			defer forget()
			Expect(filepath.Glob(temporary + "/*/*")).To(BeEmpty())
		})

	It("opens the model itself with all its options", func(ctx SpecContext) {
		tensors, _, err := part(ctx, whole, feed(floats([]int{2}, 1, 2)),
			trt.MarkOnly("y", "r"))
		Expect(err).NotTo(HaveOccurred())
		Expect(tensors.Outputs()[0].Names()).To(Equal([]string{"y", "r"}))
		tensors, _, err = part(ctx, chain("part", 1, "n"), feed(floats([]int{2}, 1, 2)),
			trt.MarkOnly("r"))
		Expect(err).NotTo(HaveOccurred())
		Expect(tensors.Outputs()[0].Names()).To(Equal([]string{"y"}))
	})

	It("records no tactics and saves no plan of a part, nor of what shows the inside",
		func(ctx SpecContext) {
			tactics, plan := GinkgoT().TempDir()+"/tactics.json", GinkgoT().TempDir()+"/c.plan"
			options := []trt.Option{trt.SaveTactics(tactics), trt.SavePlan(plan)}
			_, _, err := part(ctx, expand(), inputs, options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(tactics).NotTo(BeAnExistingFile())
			Expect(plan).NotTo(BeAnExistingFile())
			b, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, 6), options...)...)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(b.Close)
			Expect(os.Remove(tactics)).To(Succeed())
			Expect(os.Remove(plan)).To(Succeed())
			_, err = b.RunWithTensors(ctx, feed(floats([]int{2}, -1, 2)), []string{"r"})
			Expect(err).NotTo(HaveOccurred())
			Expect(tactics).NotTo(BeAnExistingFile())
			Expect(plan).NotTo(BeAnExistingFile())
		})

	It("is an error where a part's inputs are", func(ctx SpecContext) {
		_, _, err := part(ctx, expand(), fixtures.Load("absent.npz"))
		Expect(err).To(MatchError(ContainSubstring("the part of the model: deriving an optimization " +
			"profile from the inputs")))
	})

	It("is an error for a plan, which is built already", func(ctx SpecContext) {
		_, forget, err := backends.ForParts(ctx, trt.Plan("c.plan"), whole, none)
		forget()
		Expect(err).To(MatchError("tensorrt: c.plan is already built, so it cannot run a part of " +
			"its model: build an engine from the ONNX model with the same options as c.plan"))
	})
})
