package matchers_test

import (
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// updateMessages accepts the messages as they read now. It is not called -update, because golden
// files of runs honour that one too.
var updateMessages = flag.Bool("update.messages", false, "rewrite testdata/messages/*.txt")

// messages is absolute, because specs of golden files change the working directory.
var messages, _ = filepath.Abs(filepath.Join("testdata", "messages"))

var addresses = regexp.MustCompile("0x[0-9a-f]+")

// expectText holds a message to testdata/messages/<name>.txt.
func expectText(name, text string) {
	GinkgoHelper()
	path := filepath.Join(messages, name+".txt")
	text = addresses.ReplaceAllString(text, "0x…") // Gomega prints where a value lies
	if *updateMessages {
		Expect(os.WriteFile(path, []byte(text+"\n"), 0o644)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred(), "accept it with: go test ./matchers -update.messages")
	Expect(text+"\n").To(Equal(string(want)),
		"accept it with: go test ./matchers -update.messages")
}

var _ = Describe("the failure message", func() {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	scores := func(values ...float32) *tensor.Tensor { return shaped(f32(values...), 2, 3) }
	expected := func() *backends.Run {
		r := run(set("logits", scores(1, 2, 3, 4, 5, 6), "label", tensor.Of[int64](2, 2)))
		r.Provenance.Version = "1.30.0"
		return r
	}
	within := MatchOutputsWithin(1e-3, 1e-3, Elementwise)

	two := func(logits, label *tensor.Tensor) *backends.Run {
		return run(set("logits", logits, "label", label))
	}
	same := scores(1, 2, 3, 4, 5, 6)
	twos := tensor.Of[int64](2, 2)
	elsewhere := two(scores(1, 2.5, 3, 4, 5, 6), twos)
	elsewhere.Provenance.ModelSHA256 = "ffffffffffffffff"
	elsewhere.Provenance.Inputs = "random, seed 2, values in [0,1)"
	elsewhere.Provenance.Options = map[string]string{"threads": "4"}

	DescribeTable("reads as a user should see it",
		func(name string, m *OutputsMatcher, actual any) {
			text := failure(m, actual)
			expectText(name, text)
			Expect(text).NotTo(HavePrefix("\n"), "an annotation of the user stands above it")
			for line := range strings.SplitSeq(text, "\n") {
				Expect(line).To(Equal(strings.TrimRight(line, " \t")))
			}
		},
		Entry("one output of two is off: both sides are named with their versions",
			"one_output", within.Of(expected()), two(scores(1, 2.5, 3, 4, 4.875, 6), twos)),
		Entry("what explains the difference is said: another model file, inputs, options",
			"other_model", within.Of(expected()), elsewhere),
		Entry("the census of what is not finite comes before the errors",
			"nan", within.Of(expected()), two(scores(nan, 2, inf, 4, 5, 6.5), twos)),
		Entry("a renamed output is one lost and one extra",
			"lost_and_extra", within.Of(expected()), run(set("Logits", same, "label", twos))),
		Entry("equal numbers of another type are not equal",
			"element_type", within.Of(expected()), two(same, tensor.Of[int32](2, 2))),
		Entry("equal numbers in another shape are not equal",
			"shape", within.Of(expected()), two(shaped(f32(1, 2, 3, 4, 5, 6), 3, 2), twos)),
		Entry("a run that ended early is not a match", "iterations",
			within.Of(run(set("y", f32(1)), set("y", f32(2)))), run(set("y", f32(1)))),
		Entry("the iteration is named where there are several", "second_iteration",
			within.Of(run(set("y", f32(1)), set("y", f32(2)))),
			run(set("y", f32(1)), set("y", f32(3)))),
		Entry("every output is shown with its checks", "overrides",
			MatchOutputsWithin(1, 1, Max).With(compare.CosineSimilarity(0.9)).
				ForOutput("logits", 1e-2, 0, Median).Of(expected()),
			two(scores(1.5, 2.5, 3.5, 4.5, 4.5, 6), tensor.Of[int64](2, 9))),
		Entry("tensors have no provenance to show",
			"bare_tensors", within.Of(f32(1, 2)), f32(1, 3)),
		Entry("strings differ without a distance",
			"strings", within.Of(stringTensor("cat", "dog")), stringTensor("cat", "cow")),
		Entry("a rule of the user's own speaks for itself", "func",
			MatchOutputs(compare.Func("boxes", moved)).Of(f32(1, 2)), f32(1, 3)),
		Entry("one number for the whole output", "statistic",
			MatchOutputsWithin(0.05, 0, Mean).Of(f32(1, 2, 3, 4)), f32(1, 2, 3, 5)),
	)

	DescribeTable("of the other matchers reads as well",
		func(ctx SpecContext, name string, make func(context.Context) types.GomegaMatcher, actual any) {
			m := make(ctx)
			if of, ok := actual.(func(context.Context) *backends.Run); ok {
				actual = of(ctx)
			}
			if of, ok := actual.(func() *backends.Run); ok {
				actual = of()
			}
			expectText(name, failure(m, actual))
		},
		Entry("a file holds no engine to locate with", "locating_file",
			func(ctx context.Context) types.GomegaMatcher {
				GinkgoT().Chdir(GinkgoT().TempDir())
				Expect(golden.Write("right.json", expected(), golden.Options{})).To(Succeed())
				return within.OfFile("right.json").Locating()
			}, two(scores(1, 2.5, 3, 4, 5, 6), twos)),
		Entry("rows are counted, and the first wrong ones shown", "top1_accuracy",
			plain(HaveTop1Accuracy([]int{2, 0, 1, 1}, 0.9)),
			shaped(f32(1, 2, 3, 4, 5, 6, nan, 1, 2, 7, 7, 7), 4, 3)),
		Entry("a shape", "have_shape", plain(HaveShape(AnyLength, 10)), same),
		Entry("an output of another shape", "have_output",
			plain(HaveOutput("logits", HaveShape(AnyLength, 10))), expected),
		Entry("an output that does not exist", "have_no_output",
			plain(HaveOutput("scores")), expected),
		Entry("NaN and infinities, and where they are", "finite", plain(BeFinite()),
			two(scores(nan, 2, inf, -inf, 5, nan), twos)),
		Entry("a choice of matchers", "or",
			plain(Or(within.Of(f32(1, 2)), HaveShape(3))), f32(1, 3)),
		Entry("a choice of matchers for a run, which is not printed field by field", "or_run",
			plain(Or(within.Of(two(same, tensor.Of[int64](1, 1))), BeNil())), expected()),
		Entry("neither of two for a run", "not_and_run",
			plain(Not(And(BeFinite(), HaveOutput("logits")))), expected()),
		Entry("mismatches that gather in a column", "column",
			plain(within.Of(scores64(0))), scores64(1)),
		Entry("the matcher that fails among several", "and",
			plain(And(BeFinite(), within.Of(f32(1, 2)))), f32(1, 3)),
		Entry("the engine that stands apart", "agree_among",
			plain(AgreeAmong(scale(1), scale(1.0625)).Within(0, 0.1, Elementwise).Locating()),
			func(ctx context.Context) *backends.Run {
				r, err := backends.RunIn(ctx, scale(2), declared{}, fixtures.Of(set("x", f32(1, 2, 3))))
				Expect(err).NotTo(HaveOccurred())
				return r
			}),
	)

	DescribeTable("of misuse says what is wrong and what to do",
		func(name string, m types.GomegaMatcher, actual any) {
			_, err := m.Match(actual)
			Expect(err).To(HaveOccurred())
			expectText(name, err.Error())
		},
		Entry("nothing to compare with", "error_no_reference", within, f32(1)),
		Entry("a rule that could not fail", "error_powerless",
			MatchOutputsWithin(1, 0, Elementwise).Of(tensor.Of(true, false)), tensor.Of(false, true)),
		Entry("a top-1 of one class", "error_powerless_top1",
			MatchOutputs(compare.TopKAgreement(1, 0.9)).Of(f32(1)), f32(2)),
		Entry("another type", "error_type", within.Of(f32(1)), 7),
		Entry("no iterations", "error_no_iterations", within.Of(run()), run()),
		Entry("an override for an unknown output", "error_override",
			within.ForOutput("scores", 1, 1, Max).Of(f32(1)), f32(1)),
		Entry("two tolerances", "error_two_tolerances", within.Within(1, 1, Max).Of(f32(1)), f32(1)),
		Entry("a NaN tolerance", "error_nan_tolerance",
			MatchOutputsWithin(math.NaN(), 0, Max).Of(f32(1)), f32(1)),
		Entry("a run that cannot be repeated", "error_agree_file", AgreeAmong(scale(1)), expected()),
		Entry("an engine that refuses", "error_no_engine", AgreeAmong(), expected()),
		Entry("a share above 1", "error_share", HaveTop1Accuracy([]int{1}, 97), f32(1, 2)),
		Entry("a label without a class", "error_label", HaveTop1Accuracy([]int{2}, 0.9), f32(1, 2)),
	)

	DescribeTable("says that the inputs differ, by their checksum where both sides have one",
		func(actual, actualSum, expected, expectedSum, says string) {
			made := func(value float32, inputs, sum string) *backends.Run {
				r := run(set("y", f32(value)))
				r.Provenance.Inputs, r.Provenance.InputsSHA256 = inputs, sum
				return r
			}
			text := failure(MatchOutputs().Of(made(1, expected, expectedSum)),
				made(2, actual, actualSum))
			if says == "" {
				Expect(text).NotTo(ContainSubstring("inputs"))
				return
			}
			Expect(text).To(HaveSuffix("\nnote: the inputs differ: " + says +
				"\nnote: both sides computed in an unknown precision"))
		},
		Entry("one name, other bytes", "x.npz", "aaaaaaaaaaaaaaaa", "x.npz", "bbbbbbbbbbbbbbbb",
			"actual x.npz (sha256 aaaaaaaaaaaa), expected x.npz (sha256 bbbbbbbbbbbb)"),
		Entry("another name, the same bytes", "x.npz", "aa", "y.npz", "aa", ""),
		Entry("the same in all", "x.npz", "aa", "x.npz", "aa", ""),
		Entry("a file without the sum of its inputs, of the same name", "x.npz", "aa", "x.npz", "", ""),
		Entry("a file without the sum of its inputs, of another name", "x.npz", "aa", "y.npz", "",
			"actual x.npz (sha256 aa), expected y.npz (sha256 not known)"),
		Entry("without a name", "", "aa", "", "bb",
			"actual unnamed (sha256 aa), expected unnamed (sha256 bb)"),
		Entry("nothing known", "", "", "", "", ""),
	)

	It("says what agreed, and how closely, where it should not have", func() {
		m := MatchOutputsWithin(1, 1, Max).ForOutput("logits", 0.5, 0, Median).Of(expected())
		expectText("negated", negated(m, expected()))
	})

	It("never dumps a tensor", func() {
		const n = 1 << 17
		actual, expected := make([]float32, n), make([]float32, n)
		for i := range actual {
			actual[i] = float32(i)
		}
		text := failure(within.Of(f32(expected...)), f32(actual...))
		Expect(len(text)).To(BeNumerically("<", 8<<10))
		Expect(text).To(ContainSubstring("131071"), "the worst element is shown")
	})

	It("does not crash where a matcher is asked out of turn", func() {
		for _, m := range []types.GomegaMatcher{
			MatchOutputs(), MatchOutputs().Of(7), MatchGolden("none"), MatchOutputs().OfFile("none"),
		} {
			Expect(m.FailureMessage(nil)).To(HavePrefix("Expected\n"))
			Expect(m.NegatedFailureMessage(nil)).To(HavePrefix("Expected\n"))
			Expect(m).To(HaveField("String()", HavePrefix("match ")))
		}
	})

	It("stands below the user's own annotation", func() {
		err := InterceptGomegaFailure(func() {
			Expect(f32(1)).To(within.Of(f32(2)), "batch of %d", 8)
		})
		Expect(err).To(MatchError(HavePrefix("batch of 8\nExpected\n    a tensor\n")))
	})
})

// plain is a matcher that needs no context.
func plain(m types.GomegaMatcher) func(context.Context) types.GomegaMatcher {
	return func(context.Context) types.GomegaMatcher { return m }
}

// scores64 is eight rows of 64 scores, with something added to column 17.
func scores64(add float32) *tensor.Tensor {
	values := make([]float32, 8*64)
	for i := range values {
		if values[i] = float32(i % 13); i%64 == 17 {
			values[i] += add
		}
	}
	return shaped(f32(values...), 8, 64)
}

// moved is a rule of a user's.
func moved(actual, expected *tensor.Tensor) (compare.Judgement, error) {
	by := actual.Float64At(1) - expected.Float64At(1)
	return compare.Judgement{Verdict: compare.Fail, Value: by, Limit: 0.5,
		Text: "1 of 2 boxes moved by more than 0.5 px"}, nil
}

// stringTensor is a 1-d tensor of strings.
func stringTensor(values ...string) *tensor.Tensor {
	GinkgoHelper()
	t, err := tensor.FromStrings(tensor.Shape{len(values)}, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}
