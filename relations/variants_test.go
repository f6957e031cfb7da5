package relations_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// profiled is an engine with a profile.
type profiled struct {
	backends.Engine
	shapes backends.Profile
}

func (p profiled) Capabilities() backends.Capabilities {
	return backends.Capabilities{
		Profile: func() (backends.Profile, bool, error) { return p.shapes, true, nil }}
}

var _ = Describe("what engines can change", func() {
	It("is the number of threads, with other options kept", func() {
		for _, pair := range [][2]backends.Engine{
			{ort.Engine(ort.OptimizationLevel(ort.OptimizeBasic)),
				ort.Engine(ort.Threads(4), ort.OptimizationLevel(ort.OptimizeBasic))},
			{openvino.Engine(openvino.StaticShapes()),
				openvino.Engine(openvino.StaticShapes(), openvino.Threads(4))},
			{isolated.Engine(ort.Engine(ort.Threads(2))), isolated.Engine(ort.Engine(ort.Threads(4)))},
		} {
			four, err := backends.CapabilitiesOf(pair[0]).Threads(4)
			Expect(err).NotTo(HaveOccurred())
			Expect(four.Text()).To(Equal(pair[1].Text()))
		}
		Expect(backends.CapabilitiesOf(isolated.Engine(tract.Engine())).Threads).To(BeNil())
	})

	It("is the optimisation level", func() {
		for _, e := range []backends.Engine{ort.Engine(ort.Threads(2)), trt.Engine(trt.FP16()),
			isolated.Engine(ort.Engine())} {
			levels, err := backends.CapabilitiesOf(e).Levels()
			Expect(err).NotTo(HaveOccurred())
			texts := map[string]bool{}
			for _, level := range levels {
				texts[level.Text()] = true
			}
			Expect(texts).To(HaveLen(len(levels)))
			Expect(len(levels)).To(BeNumerically(">", 4))
		}
		Expect(backends.CapabilitiesOf(tract.Engine()).Levels).To(BeNil())
	})

	It("is TensorRT's profile at run time", func() {
		e := trt.Engine(trt.Profile(trt.Range("x", []int{9, 1}, []int{9, 1}, []int{9, 1})),
			trt.Profile(trt.Range("x", []int{1, 8}, []int{4, 8}, []int{33, 8}),
				trt.Values("s", []int64{1}, []int64{1}, []int64{1})), trt.ProfileIndex(1))
		p, ok, err := backends.CapabilitiesOf(e).Profile()
		Expect(err).NotTo(HaveOccurred())
		Expect(ok).To(BeTrue())
		Expect(p).To(Equal(backends.Profile{Min: map[string]tensor.Shape{"x": {1, 8}},
			Opt: map[string]tensor.Shape{"x": {4, 8}}, Max: map[string]tensor.Shape{"x": {33, 8}}}))
		_, ok, err = backends.CapabilitiesOf(trt.Engine()).Profile()
		Expect(err).NotTo(HaveOccurred())
		Expect(ok).To(BeFalse())
	})
})

var _ = Describe("the batches of an engine with a profile", func() {
	shape := func(n int) map[string]tensor.Shape {
		return map[string]tensor.Shape{"x": {n, 3, 4}, "mask": {n, 3}}
	}
	check := func(ctx SpecContext, low, likely, high int) *relations.Report {
		GinkgoHelper()
		s := subject(ctx, fickle.None, 2)
		s.Engine = profiled{s.Engine, backends.Profile{Min: shape(low), Opt: shape(likely),
			Max: shape(high)}}
		report, err := relations.Check(ctx, s, relations.Options{}, relations.Batch())
		Expect(err).NotTo(HaveOccurred())
		return report
	}

	It("lie within it and include its bounds and optimum", func(ctx SpecContext) {
		report := check(ctx, 2, 5, 12)
		Expect(report.Holds()).To(BeTrue())
		Expect(report.Text()).To(ContainSubstring("tried batches of 2, 3, 5, 7, 12 rows"))
	})

	It("are rejected if the profile has one size", func(ctx SpecContext) {
		Expect(check(ctx, 1, 1, 1).Refused().Refused).To(ContainSubstring(
			"this check needs batches of 2 or more"))
		Expect(check(ctx, 4, 4, 4).Refused().Refused).To(ContainSubstring("a comparison needs two sizes"))
	})
})
