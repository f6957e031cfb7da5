//go:build linux && cgo

package trt_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("the weights of an engine", Label("mock"), func() {
	var plan string
	BeforeEach(func() { plan = filepath.Join(GinkgoT().TempDir(), "chain.plan") })

	built := func(ctx SpecContext, minor int, options ...trt.Option) *trt.Backend {
		GinkgoHelper()
		e, err := trt.New(ctx, chain("one.onnx", 1, 2), none, on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}
	loaded := func(minor int, options ...trt.Option) *trt.Backend {
		GinkgoHelper()
		e, err := trt.Load(plan, on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}
	run := func(ctx SpecContext, e *trt.Backend) ([]float32, error) {
		run, err := e.Run(ctx, feed(floats([]int{2}, 1, 2)))
		if err != nil {
			return nil, err
		}
		return values(run, "y"), nil
	}
	beStripped := MatchError(HaveSuffix("the plan was built without weights (trt.StripPlan) and " +
		"would return zeros: open it with its ONNX model, or call Backend.Refit"))

	It("come from another model after a refit", func(ctx SpecContext) {
		e := built(ctx, 6, trt.Refittable())
		Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(Succeed())
		r, err := e.Run(ctx, feed(floats([]int{2}, 1, 2)))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "y")).To(Equal([]float32{101, 102}))
		Expect(r.Provenance.Options).To(HaveKeyWithValue("refit", "hundred.onnx"))
		Expect(e.Save(plan)).To(Succeed())
		Expect(run(ctx, loaded(6))).To(Equal([]float32{101, 102}))
	})

	DescribeTable("come into a stripped engine by a refit alone",
		func(ctx SpecContext, minor int, refittable bool) {
			e := built(ctx, minor, trt.StripPlan())
			_, err := run(ctx, e)
			Expect(err).To(And(MatchError(ContainSubstring("one.onnx")), beStripped))
			Expect(e.Save(plan)).To(Succeed())

			stripped := loaded(minor)
			_, err = run(ctx, stripped)
			Expect(err).To(And(MatchError(ContainSubstring("chain.plan")), beStripped))

			Expect(stripped.Refit(chain("hundred.onnx", 100, 2))).To(Succeed())
			Expect(run(ctx, stripped)).To(Equal([]float32{101, 102}))
			Expect(stripped.Save(plan)).To(Succeed())

			whole := loaded(minor)
			Expect(run(ctx, whole)).To(Equal([]float32{101, 102}))
			info, err := whole.Information()
			Expect(err).NotTo(HaveOccurred())
			Expect(info.Refittable).To(Equal(refittable))
			Expect(info.Stripped).To(BeFalse())
		},
		Entry("of 10.6, which fixes them in the plan that is saved then", 6, false),
		Entry("of 10.14, which is asked not to", 14, true),
	)

	It("come from the model if a stripped engine is run once", func(ctx SpecContext) {
		r, err := trt.Run(ctx, chain("one.onnx", 1, 2), feed(floats([]int{2}, 1, 2)),
			on(mock(10, 6), trt.StripPlan())...)
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "y")).To(Equal([]float32{2, 3}))
		Expect(r.Provenance.Options).To(HaveKeyWithValue("refit", "one.onnx"))
	})

	It("are told to be missing", func(ctx SpecContext) {
		e := built(ctx, 6, trt.StripPlan())
		Expect(e.Information()).To(HaveField("Stripped", true))
		Expect(e.Refit(chain("one.onnx", 1, 2))).To(Succeed())
		Expect(e.Information()).To(HaveField("Stripped", false))
	})

	It("are missing for debug tensors too", func(ctx SpecContext) {
		e := built(ctx, 12, trt.StripPlan(), trt.Debug("r", "s"))
		_, err := run(ctx, e)
		Expect(err).To(beStripped)
		Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(Succeed())
		r, err := e.Run(ctx, feed(floats([]int{2}, 1, 2)))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "s")).To(Equal([]float32{101, 102}))
	})

	It("come from the refit for tensors inside the engine too", func(ctx SpecContext) {
		x := feed(floats([]int{2}, 1, 2))
		e := built(ctx, 6, trt.StripPlan())
		_, err := e.RunWithTensors(ctx, x, []string{"s"})
		Expect(err).To(And(MatchError(ContainSubstring("one.onnx")), beStripped))
		Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(Succeed())
		r, err := e.RunWithTensors(ctx, x, []string{"s"})
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "s")).To(Equal([]float32{101, 102}))
	})

	It("are known to be missing where the engine was built so, whatever TensorRT says",
		func(ctx SpecContext) {
			setenv("MOCK_TRT_FAIL", "default")
			_, err := run(ctx, built(ctx, 6, trt.StripPlan()))
			Expect(err).To(beStripped)
		})

	It("are not run where a refit failed on the way", func(ctx SpecContext) {
		e := built(ctx, 6, trt.Refittable())
		setenv("MOCK_TRT_FAIL", "refit")
		Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(MatchError(
			"tensorrt: refit with hundred.onnx: the engine rejects the model's weights"))
		half := MatchError("tensorrt: one.onnx: a failed refit may have replaced some of the " +
			"engine's weights: refit the engine again, or reload it")
		_, err := run(ctx, e)
		Expect(err).To(half)
		Expect(e.Save(plan)).To(half)
		setenv("MOCK_TRT_FAIL", "")
		Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(Succeed())
		Expect(run(ctx, e)).To(Equal([]float32{101, 102}))
	})

	DescribeTable("stay as they were where the model does not fit",
		func(ctx SpecContext, model func() *loaders.Model, want string) {
			e := built(ctx, 6, trt.Refittable())
			Expect(e.Refit(model())).To(MatchError(ContainSubstring(want)))
			Expect(run(ctx, e)).To(Equal([]float32{2, 3}))
		},
		Entry("in its structure", func() *loaders.Model { return one("Identity", onnxFloat, 2) },
			"refit with identity.onnx: the ONNX parser rejects"),
		Entry("or is missing", func() *loaders.Model { return loaders.ONNX("/nowhere.onnx") },
			"no such file"),
	)

	It("are asked for by their names where the model lacks them", func(ctx SpecContext) {
		e := built(ctx, 6, trt.Refittable())
		Expect(e.Refit(renamed())).To(MatchError(ContainSubstring(
			"the engine rejects the model's weights: it lacks c")))
	})

	It("are its own alone where a stripped engine was not built to take others",
		func(ctx SpecContext) {
			e := built(ctx, 6, trt.StripAlone())
			Expect(e.Information()).To(And(HaveField("Refittable", false),
				HaveField("Stripped", true)))
			Expect(e.Save(plan)).To(Succeed())
			Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(MatchError(
				"tensorrt: refit with hundred.onnx: the engine takes only the weights of the model " +
					"that it was built from: build it with trt.StripPlan or trt.Refittable"))
			for _, e := range []*trt.Backend{e, loaded(6)} {
				_, err := run(ctx, e)
				Expect(err).To(beStripped)
				Expect(e.Refit(chain("one.onnx", 1, 2))).To(Succeed())
				Expect(run(ctx, e)).To(Equal([]float32{2, 3}))
			}
		})

	It("are saved with the lean runtime of a version-compatible engine", func(ctx SpecContext) {
		e := built(ctx, 6, trt.StripPlan(), trt.VersionCompatible())
		Expect(e.Refit(chain("hundred.onnx", 100, 2))).To(Succeed())
		Expect(e.Save(plan)).To(Succeed())
		Expect(run(ctx, loaded(12, trt.VersionCompatible()))).To(Equal([]float32{101, 102}))
	})

	It("are fixed where the engine was built so", func(ctx SpecContext) {
		Expect(built(ctx, 6).Refit(chain("two.onnx", 2, 2))).To(MatchError(ContainSubstring(
			"the engine's weights are fixed: build it with trt.Refittable or trt.StripPlan")))
	})
})
