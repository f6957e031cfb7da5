//go:build linux && cgo

package trt_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("locating in the mock", Label("mock"), func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// The shape that x is expanded to goes through a node, so a part begins with it.
	model := loaders.ONNXBytes("shapes.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Identity", Name: "copy", In: []string{"shape"}, Out: []string{"s"}},
			{Op: "Expand", Name: "expand", In: []string{"x", "s"}, Out: []string{"e"}},
			{Op: "Relu", Name: "relu", In: []string{"e"}, Out: []string{"r"}},
			{Op: "Add", Name: "add", In: []string{"r", "third"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "third", Type: onnxFloat, Dims: []int64{1},
			Raw: onnxtest.Float32s(1. / 3)}},
		Inputs:  []onnxtest.Value{in("x", onnxFloat, 1), in("shape", onnxInt64, 2)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, "a", "b")},
	}}.Bytes())
	given := func() fixtures.Inputs {
		return feed(floats([]int{1}, 0.5),
			tensor.Entry{Name: "shape", Tensor: tensor.Of[int64](2, 3)})
	}
	find := func(ctx context.Context, engine backends.Engine) *locate.Finding {
		GinkgoHelper()
		report, err := locate.Divergence(ctx,
			backends.Subject{Engine: engine, Model: model, Inputs: given()},
			backends.Subject{Engine: ort.Engine(), Model: model},
			locate.Options{Isolate: true, Compare: compare.Options{
				Checks: []compare.Check{compare.Within(1e-6, 0, compare.Elementwise)}}})
		Expect(err).NotTo(HaveOccurred())
		return report
	}
	engine := func(options ...trt.Option) backends.Engine {
		return trt.Engine(on(mock(10, 6), options...)...)
	}
	profile := trt.Profile(trt.Values("shape", []int64{1, 1}, []int64{2, 3}, []int64{4, 4}))

	It("runs parts that begin with a computed shape", func(ctx SpecContext) {
		report := find(ctx, engine(profile))
		Expect(report.First).To(BeNil())
		Expect(report.Notes).To(ConsistOf(
			HaveSuffix("does not return s, so they were read from a copy of the model that does")),
			"a shape does not lie on the GPU")
		for _, p := range report.Tensors {
			Expect(p.Own).NotTo(BeNil(), p.Tensor)
			Expect(p.Own.Verdict).To(Equal(compare.Pass), p.Tensor)
		}
	})

	It("leaves them out where their options are the whole model's", func(ctx SpecContext) {
		report := find(ctx, fake.Engine(fake.Opens(engine(profile).Open)))
		Expect(report.Notes).To(ContainElement(And(HavePrefix(`the node of "e" was not run alone`),
			ContainSubstring(`input "s" is a shape input, for which the profile has no trt.Values`))))
	})

	It("names the node where FP16 begins to tell", func(ctx SpecContext) {
		report := find(ctx, engine(profile, trt.FP16()))
		Expect(report.First.Node).To(Equal("add"), "a half has few bits, a third has many")
		Expect(report.Isolated.Node).To(Equal("add"))
	})
})
