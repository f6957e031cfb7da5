//go:build linux && cgo

package trt_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// What layers compute in when they are told, on a real TensorRT.
var _ = Describe("precision on a GPU", Label("gpu"), func() {
	BeforeEach(needBoth)
	obeyed := func(t tensor.ElementType) trt.Option {
		return trt.Options(trt.FP16(), trt.PrecisionConstraints(trt.Obey), trt.LayerPrecision("*", t))
	}

	It("is float32 in every layer that computes, where that is obeyed", func(ctx SpecContext) {
		// Left to itself TensorRT takes either, as its measurements fall.
		half, err := computing(ctx, digits, obeyed(tensor.Float16))
		Expect(err).NotTo(HaveOccurred())
		Expect(half).To(ContainElement(ContainSubstring("Half")))
		told, err := computing(ctx, digits, obeyed(tensor.Float32))
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("layers", strings.Join(told, "\n"))
		Expect(len(told)).To(BeNumerically(">=", 4)) // two convolutions, two matrix products
		Expect(told).NotTo(ContainElement(ContainSubstring("Half")))
	}, long)

	It("is in the provenance, by what the engine's layers tell", func(ctx SpecContext) {
		half, err := trt.Run(ctx, digits, images, onGPU(obeyed(tensor.Float16))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(half.Provenance.Options).To(HaveKeyWithValue("fp16", HavePrefix("used in ")))
		told, err := trt.Run(ctx, digits, images, onGPU(obeyed(tensor.Float32))...)
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("all told float32", told.Provenance.Options["fp16"])
		names, err := trt.Run(ctx, digits, images, onGPU(obeyed(tensor.Float16),
			trt.LayerNamesOnly())...)
		Expect(err).NotTo(HaveOccurred())
		Expect(names.Provenance.Options).To(HaveKeyWithValue("fp16", HavePrefix("not known to be used")))
		// What an engine tells changes nothing that it computes.
		Expect(names).To(MatchOutputsWithin(0.05, 0, Max).
			Under(compare.Options{AnyElementType: true}).Of(half))
	}, long)

	It("is ONNX Runtime's float32 where no layer moves data alone", func(ctx SpecContext) {
		part, err := digits.Cut(nil, []loaders.Value{{Name: "pool2", Type: tensor.Float32}})
		Expect(err).NotTo(HaveOccurred())
		expected, err := ort.Run(ctx, part, images)
		Expect(err).NotTo(HaveOccurred())
		Expect(trt.Run(ctx, part, images, onGPU(obeyed(tensor.Float32))...)).To(
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(expected))
		Expect(trt.Run(ctx, part, images, onGPU(obeyed(tensor.Float16))...)).NotTo(
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).
				Under(compare.Options{AnyElementType: true}).Of(expected))
	}, long)

	// The reshape before the first matrix product takes its input in FP16, also in NVIDIA's Python
	// bindings: one rounding of the features, where FP16 alone is 0.02 off.
	It("is float32 but for what a reshape rounds", func(ctx SpecContext) {
		Expect(trt.Run(ctx, digits, images, onGPU(obeyed(tensor.Float32))...)).To(And(BeFinite(),
			MatchOutputsWithin(0.01, 0, Max).Of(ort.Run(ctx, digits, images)),
			HaveTop1Accuracy(labels(), 0.96).OfOutput("logits")))
	}, long)
})

// computing describes the layers of a model's engine that compute: convolutions, matrix products
// and poolings, with the types that go in and come out, as the engine's inspector has them.
func computing(ctx SpecContext, model *loaders.Model, options ...trt.Option) ([]string, error) {
	e, err := trt.New(ctx, model, images, onGPU(trt.Options(options...),
		trt.Detailed())...)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	info, err := e.Information()
	if err != nil {
		return nil, err
	}
	type value struct {
		Type string `json:"Format/Datatype"`
	}
	var engine struct {
		Layers []struct {
			Name, LayerType string
			Inputs, Outputs []value
		}
	}
	if err := json.Unmarshal(info.Inspector, &engine); err != nil {
		return nil, err
	}
	var lines []string
	for _, layer := range engine.Layers {
		kind := strings.ToLower(layer.LayerType)
		if !strings.Contains(kind, "conv") && !strings.Contains(kind, "gemm") &&
			!strings.Contains(kind, "pool") && !strings.Contains(kind, "fusion") {
			continue
		}
		line := layer.Name + " " + layer.LayerType
		for _, v := range append(layer.Inputs, layer.Outputs...) {
			line += " " + v.Type
		}
		lines = append(lines, line)
	}
	return lines, nil
}
