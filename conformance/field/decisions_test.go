package field_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// detectors are torchvision's. They select their boxes, so the number of boxes is a result.
var detectors = map[string]decisions.Layout{
	"detector": {Boxes: "boxes", Scores: "scores"},
	"ssd":      {Boxes: "boxes", Scores: "scores", Classes: "labels"},
}

var _ = Describe("A detector of torchvision", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	run := func(ctx context.Context, family string, model *loaders.Model,
		options ...ort.Option) *backends.Run {
		GinkgoHelper()
		inputs := fixtures.Load(filepath.Join(folder(family), "inputs.npz"))
		found, err := ort.Run(ctx, model, inputs, options...)
		Expect(err).NotTo(HaveOccurred())
		return found
	}

	families := []string{"detector"} // the digest contains it
	if os.Getenv(folderVariable) != "" {
		families = append(families, "ssd")
	}
	for _, family := range families {
		layout := detectors[family]
		open := func() *loaders.Model {
			GinkgoHelper()
			data, err := read(family, "torchscript")
			Expect(err).NotTo(HaveOccurred())
			return loaders.ONNXBytes("torchscript.onnx", data)
		}

		It(family+" finds the same objects in every exported and rewritten form",
			func(ctx SpecContext) {
				model := open()
				expected := run(ctx, family, model)
				match := matchers.MatchDecisions(decisions.Detections{Layout: layout, Score: 0.05,
					Margin: 1e-5, ScoreChange: 1e-5, BoxChange: 1e-3})
				Expect(run(ctx, family, model, ort.OptimizationLevel(ort.OptimizeNone))).To(
					match.Of(expected))
				forms, err := filepath.Glob(filepath.Join(os.Getenv(folderVariable), family, "*.onnx"))
				Expect(err).NotTo(HaveOccurred())
				for _, form := range forms {
					if strings.HasSuffix(form, "_renamed.onnx") {
						continue // its outputs have other names
					}
					Expect(run(ctx, family, loaders.ONNX(form))).To(match.Of(expected), form)
				}
				AddReportEntry("forms", len(forms))
			})

		It(family+" finds other objects with changed weights, beyond rounding",
			func(ctx SpecContext) {
				model := open()
				expected := run(ctx, family, model)
				changed := func(factor float32) *loaders.Model {
					GinkgoHelper()
					m, err := edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
						if len(c.Values.Shape()) != 4 {
							return nil, nil
						}
						values, err := tensor.Values[float32](c.Values)
						if err != nil {
							return nil, err
						}
						scaled := make([]float32, len(values))
						for i, v := range values {
							scaled[i] = v * factor
						}
						return tensor.New(c.Values.Shape(), scaled)
					})
					Expect(err).NotTo(HaveOccurred())
					return m
				}
				match := matchers.MatchDecisions(decisions.Detections{Layout: layout, Score: 0.05, IoU: 0.9,
					Margin: 1e-4}).Of(expected)
				Expect(run(ctx, family, changed(1+1e-7))).To(match)
				Expect(match.Match(run(ctx, family, changed(1.3)))).To(BeFalse())
				Expect(match.FailureMessage(nil)).To(MatchRegexp(
					`\d+ detections; flips: [1-9]\d* not excused`))
			})
	}
})
