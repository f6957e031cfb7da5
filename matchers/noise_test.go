package matchers_test

import (
	"errors"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("MatchWithinNoise", func() {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8))

	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("takes engines that differ by rounding", func(ctx SpecContext) {
		plain := ort.OptimizationLevel(ort.OptimizeNone)
		Expect(ort.Run(ctx, model, inputs, plain)).To(
			MatchWithinNoise().FalseAlarm(1e-3).Of(ort.Run(ctx, model, inputs)))
		Expect(MatchWithinNoise().Of(tensor.Of[float32](1)).String()).To(HaveSuffix(
			"within rounding noise, with one false alarm in 10000 comparisons"))
	})

	It("refuses a lower precision, and says what it would have caught", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		half, err := tract.Run(ctx, model, inputs, tract.FP16())
		Expect(err).NotTo(HaveOccurred())
		m := MatchWithinNoise().Of(ort.Run(ctx, model, inputs))
		Expect(m.Match(half)).To(BeFalse())
		var lines []string
		for line := range strings.Lines(m.FailureMessage(half)) {
			if strings.HasPrefix(line, "FAIL") || strings.Contains(line, "noise of") ||
				strings.Contains(line, " change of") || strings.Contains(line, " % of") {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
		}
		text := regexp.MustCompile(`\b[0-9][0-9.e+-]*`).ReplaceAllString(strings.Join(lines, "\n"), "N")
		expectText("within_noise", text)
	})

	It("is an error without an engine", func() {
		bare := tensor.Of[float32](1, 2)
		for text, m := range map[string]*NoiseMatcher{
			"neither run can be repeated": MatchWithinNoise().Of(bare),
			"the engine is out": MatchWithinNoise().Of(bare,
				errors.New("the engine is out")),
		} {
			_, err := m.Match(bare)
			Expect(err).To(MatchError(ContainSubstring(text)))
		}
	})
})
