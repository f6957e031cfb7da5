package matchers_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("outputs by name", func() {
	nan := float32(math.NaN())
	past := func(key0, key1 float32) *tensor.Set {
		return set("logits", f32(1), "present.0.key", f32(key0), "present.1.key", f32(key1))
	}
	zip := func(cat float32) *tensor.Set {
		return set("p.length", tensor.Scalar[int64](1), "p[0].key", stringTensor("cat", "dog").AsKeys(),
			"p[0].value", f32(cat, 1-cat))
	}

	It("may be patterns of tolerances", func() {
		Expect(past(1.5, 1.5)).To(MatchOutputs().ForOutput("present.*.key", 1, 0, Max).Of(past(1, 1)))
		Expect(past(1.5, 1.5)).NotTo(MatchOutputs().ForOutput("present.*.key", 1, 0, Max).
			ForOutputWith("present.1.key", compare.Within(0.1, 0, Max)).Of(past(1, 1)))
		_, err := MatchOutputs().ForOutput("past.*", 1, 0, Max).Of(past(1, 1)).Match(past(1, 1))
		Expect(err).To(MatchError(ContainSubstring(`"past.*", which matches no output`)))
	})

	It("choose what is compared, and the message counts the rest", func() {
		only := func(patterns ...string) *OutputsMatcher {
			return MatchOutputs().Under(compare.Options{Only: patterns}).Of(past(1, 1))
		}
		except := func(patterns ...string) *OutputsMatcher {
			return MatchOutputs().Under(compare.Options{Except: patterns}).Of(past(1, 1))
		}
		Expect(past(2, 1)).To(only("logits", "*1.key"))
		Expect(past(2, 1)).To(except("*0.key"))
		expectText("left_out", failure(only("present.*"), past(2, 1)))
		Expect(negated(except("present.*"), past(2, 1))).To(HaveSuffix(
			"except [\"present.*\"]\nleft out: 2, [\"present.0.key\" \"present.1.key\"]"))
		_, err := only("").Match(past(1, 1))
		Expect(err).To(MatchError(ContainSubstring(`Options.Only names "", which matches no output`)))
	})

	It("name a sequence or a map as one output", func() {
		Expect(zip(0.25)).To(HaveOutput("p", HaveShape(1, 2), BeFinite()))
		Expect(zip(0.25)).To(HaveOutput("p[0].value", HaveShape(2)))
		Expect(zip(0.25)).To(HaveTop1Accuracy([]int{1}, 1).OfOutput("p"))
		Expect(zip(0.5)).To(MatchOutputs().ForOutput("p", 0.3, 0, Max).Of(zip(0.25)))
		expectText("sequence", failure(MatchOutputsWithin(0.1, 0, Elementwise).Of(zip(0.25)), zip(0.5)))
	})

	It("may be patterns of HaveOutput, which holds every output that matches", func() {
		Expect(past(1, 2)).To(HaveOutput("present.*.key", HaveShape(1)))
		Expect(past(1, nan)).NotTo(HaveOutput("present.*.key", BeFinite()))
		Expect(past(1, nan)).NotTo(HaveOutput("past.*"))
		Expect(failure(HaveOutput("present.*.key", BeFinite()), past(1, nan))).To(
			HavePrefix(`output "present.1.key", iteration 0:`))
		_, err := HaveTop1Accuracy([]int{1}, 1).OfOutput("present.*").Match(past(1, 1))
		Expect(err).To(MatchError(`HaveTop1Accuracy: iteration 0: "present.*" matches ` +
			`2 outputs, expected one: ["present.0.key" "present.1.key"]`))
	})
})
