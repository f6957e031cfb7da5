//go:build linux && cgo

package trt_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("the weights of a stripped engine", Label("mock"), func() {
	var plan string
	BeforeEach(func() { plan = filepath.Join(GinkgoT().TempDir(), "chain.plan") })

	built := func(ctx SpecContext, minor int, options ...trt.Option) *trt.Backend {
		GinkgoHelper()
		e, err := trt.New(ctx, chain("one.onnx", 1, 2), none, on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(e.Close)
		return e
	}
	run := func(ctx SpecContext, e backends.Backend) ([]float32, error) {
		run, err := e.Run(ctx, feed(floats([]int{2}, 1, 2)))
		if err != nil {
			return nil, err
		}
		return values(run, "y"), nil
	}
	// with opens the plan with a model.
	with := func(ctx SpecContext, model *loaders.Model) (backends.Backend, error) {
		e, err := trt.Plan(plan, on(mock(10, 6))...).Open(ctx, model, none)
		if err == nil {
			DeferCleanup(e.Close)
		}
		return e, err
	}

	DescribeTable("come into a plan from the model with which it is opened",
		func(ctx SpecContext, refittable bool, option trt.Option) {
			built(ctx, 6, option, trt.SavePlan(plan))
			Expect(trt.Describe(plan, on(mock(10, 6))...)).To(And(HaveField("Stripped", true),
				HaveField("Refittable", refittable)))

			stripped, err := trt.Load(plan, on(mock(10, 6))...)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(stripped.Close)
			_, err = run(ctx, stripped)
			Expect(err).To(MatchError("tensorrt: chain.plan: the plan was built without weights " +
				"(trt.StripPlan) and would return zeros: open it with its ONNX model"))

			whole, err := with(ctx, chain("hundred.onnx", 100, 2))
			Expect(err).NotTo(HaveOccurred())
			Expect(run(ctx, whole)).To(Equal([]float32{101, 102}))
			Expect(whole.(*trt.Backend).Information()).To(HaveField("Stripped", false))
		},
		Entry("that can be refitted", true, trt.StripPlan()),
		Entry("that NVIDIA's tools stripped", false, trt.StripAlone()),
	)

	It("come from the model that was built", func(ctx SpecContext) {
		r, err := trt.Run(ctx, chain("one.onnx", 1, 2), feed(floats([]int{2}, 1, 2)),
			on(mock(10, 6), trt.StripPlan())...)
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "y")).To(Equal([]float32{2, 3}))
		Expect(r.Provenance.Options).To(HaveKeyWithValue("weights", "from one.onnx"))
	})

	It("come into debug tensors too", func(ctx SpecContext) {
		r, err := built(ctx, 12, trt.StripPlan(), trt.Debug("r", "s")).Run(ctx,
			feed(floats([]int{2}, 1, 2)))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "s")).To(Equal([]float32{2, 3}))
	})

	It("come into tensors inside the engine too", func(ctx SpecContext) {
		r, err := built(ctx, 6, trt.StripPlan()).RunWithTensors(ctx, feed(floats([]int{2}, 1, 2)),
			[]string{"s"})
		Expect(err).NotTo(HaveOccurred())
		Expect(values(r, "s")).To(Equal([]float32{2, 3}))
	})

	It("are known to be missing where the engine was built so, whatever TensorRT says",
		func(ctx SpecContext) {
			setenv("MOCK_TRT_FAIL", "default")
			Expect(run(ctx, built(ctx, 6, trt.StripPlan()))).To(Equal([]float32{2, 3}))
		})

	It("are an error where TensorRT refuses them", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "refit")
		_, err := trt.New(ctx, chain("one.onnx", 1, 2), none, on(mock(10, 6), trt.StripPlan())...)
		Expect(err).To(MatchError("tensorrt 10.6.2.7: one.onnx: weights from one.onnx: the engine " +
			"rejects the model's weights"))
	})

	DescribeTable("are an error where the model does not fit",
		func(ctx SpecContext, model func() *loaders.Model, want string) {
			built(ctx, 6, trt.StripPlan(), trt.SavePlan(plan))
			_, err := with(ctx, model())
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("in its structure", func() *loaders.Model { return one("Identity", onnxFloat, 2) },
			"weights from identity.onnx: the ONNX parser rejects"),
		Entry("or is missing", func() *loaders.Model { return loaders.ONNX("/nowhere.onnx") },
			"no such file"),
		Entry("or lacks a weight", renamed, "the engine rejects the model's weights: it lacks c"),
	)
})
