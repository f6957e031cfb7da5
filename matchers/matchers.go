package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/compare"
)

// Statistics of package compare. They are repeated here so that a spec needs only one import.
const (
	Elementwise = compare.Elementwise
	Max         = compare.Max
	Mean        = compare.Mean
	Median      = compare.Median
)

// Quantile is compare.Quantile: the q-quantile of the errors, with q between 0 and 1.
func Quantile(q float64) compare.Stat { return compare.Quantile(q) }

// MatchOutputsWithin succeeds if every output of every iteration agrees with the expected one. With
//
//	abs = |actual − expected|      rel = abs / |expected|
//
// the stat Elementwise requires abs ≤ atol or rel ≤ rtol for each element. Any other stat requires
// stat(abs) ≤ atol or stat(rel) ≤ rtol. See compare.Within for NaN, infinities, zeros and integers.
//
// Set the expected side with Of(another run), OfGolden(name) or OfFile(path). An output that only
// one side has is a mismatch. So are different element types or shapes. It is an error if a run has
// no iterations, if an iteration has no outputs, if all outputs are empty (see AllowEmpty), or if a
// check could not fail (see compare.Powerless).
//
//	Expect(ort.Run(ctx, quantised, inputs)).To(
//		MatchOutputsWithin(0.1, 0.1, Mean).ForOutput("probabilities", 0.02, 0, Max).
//			Of(ort.Run(ctx, model, inputs)))
//
// A NaN or negative tolerance, an unknown stat, or an override for an output that does not exist is
// an error.
func MatchOutputsWithin(atol, rtol float64, stat compare.Stat) *OutputsMatcher {
	return outputsMatcher(&comparer{constructor: "MatchOutputsWithin"}).Within(atol, rtol, stat)
}

// MatchOutputs succeeds if every output passes all the checks, including those added by Within and
// With. Without any check, every element must be equal.
//
//	MatchOutputs(compare.CosineSimilarity(0.999), compare.TopKAgreement(1, 0.99)).Of(fp32)
func MatchOutputs(checks ...compare.Check) *OutputsMatcher {
	return outputsMatcher(&comparer{constructor: "MatchOutputs"}).With(checks...)
}

// MatchWithinNoise succeeds if rounding explains every difference, so you need no tolerance. It
// measures how much rounding changes the outputs of this model: ONNX Runtime runs the model 8 to 64
// times, each time adding the terms of every sum in a different random order. See noise.Measure and
// compare.WithinNoise.
//
//	Expect(openvino.Run(ctx, model, inputs)).To(MatchWithinNoise().Of(ort.Run(ctx, model, inputs)))
//
// The measured noise is cached for the same model and inputs. With OfGolden, an update writes the
// noise into the golden file, so that every machine uses the same noise. Without ONNX Runtime,
// MeasuredIn must name an engine. If neither side has an engine, and the expected file has no
// noise, that is an error.
func MatchWithinNoise() *NoiseMatcher {
	return noiseMatcher(&comparer{constructor: "MatchWithinNoise", noise: true})
}

// MatchGolden succeeds if the outputs agree with the golden file testdata/golden/<name>.json.
// Without a tolerance every element must be equal; Within and ForOutput set tolerances:
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise))
//
// To accept new outputs, run `go test -golden.update` or set GOLDEN_UPDATE=1. If the outputs do not
// match the golden file, MatchGolden then rewrites the file, prints on standard error how much each
// output changed, and succeeds. The actual value must be a *[backends.Run]. A run with NaN or
// infinities is an error unless AllowNonFinite is used.
//
// MatchGolden rewrites the file immediately, and only in an assertion without other matchers. In a
// suite that reports how specs end (see [GoldenMatcher.In]), it rewrites the file after the spec
// has passed, and may be part of an And.
//
// If the golden file is missing or cannot be read, Match returns an error that ends with the
// command that writes the file.
//
// Without a name, the file is named after the spec's text, for example
// digits-still-match-3545f21c.json. That requires a suite with ginkgoreport.Suite, or In. A spec
// can have only one such file.
func MatchGolden(name ...string) *GoldenMatcher {
	return goldenMatcher((&comparer{constructor: "MatchGolden"}).ofGolden(name))
}

// BeFinite succeeds if no element of any output is NaN or infinite. It is an error if no output has
// an element type with NaN or infinities, because there is then nothing to check. If an engine ran
// the model, the failure message names the node that produces the first NaN or infinity, and shows
// the ranges of that node's operands; see [locate.NonFinite].
func BeFinite() types.GomegaMatcher { return &finiteMatcher{} }

// HaveOutput succeeds if every iteration has an output with this name, and the output's
// *tensor.Tensor satisfies each of the matchers:
//
//	Expect(run).To(HaveOutput("logits", HaveShape(AnyLength, 10), BeFinite()))
//
// A sequence or a map counts as one output, and the matchers receive all its elements as one tensor
// (see tensor.Value). So the output_probability of a scikit-learn model has the same shape whether
// or not the model ends with a ZipMap. A pattern such as "present.*.key" selects every output that
// it matches; it must match at least one.
func HaveOutput(name string, matchers ...types.GomegaMatcher) types.GomegaMatcher {
	return &outputMatcher{name: name, inner: matchers}
}

// AnyLength is a dimension for [HaveShape] that accepts any length.
const AnyLength = -1

// HaveShape succeeds if a tensor, or the only output of each iteration, has exactly these
// dimensions. HaveShape() without arguments expects a scalar. A negative length other than
// AnyLength is an error.
func HaveShape(dims ...int) types.GomegaMatcher { return &shapeMatcher{dims: dims} }

// HaveTop1Accuracy succeeds if a large enough fraction of the rows is right: at least atLeast,
// which is between 0 and 1. A row is right if its label has the highest score. The last axis
// contains the scores of the classes. All iterations together must have one row per label. If the
// highest score occurs more than once, the first class counts, as in NumPy. A row with a NaN counts
// as wrong, and so does a row whose scores are all equal. It is an error if the number of rows is
// wrong, if a label is not a class, if there is only one class, or if atLeast is 0.
//
//	Expect(ort.Run(ctx, model, images)).To(HaveTop1Accuracy(labels, 0.97))
//
// The failure message shows the 95 % confidence interval, the first wrong rows, and the most
// frequent confusion. [AccuracyMatcher.Confidently] compares the lower end of the interval.
func HaveTop1Accuracy(labels []int, atLeast float64) *AccuracyMatcher {
	return HaveTopKAccuracy(1, labels, atLeast)
}

// HaveTopKAccuracy is like [HaveTop1Accuracy], but a row is right if its label has one of the k
// highest scores. If scores are equal, the lower class ranks first. It is an error if k is not
// below the number of classes.
//
//	Expect(ort.Run(ctx, model, images)).To(HaveTopKAccuracy(5, labels, 0.9).Confidently())
func HaveTopKAccuracy(k int, labels []int, atLeast float64) *AccuracyMatcher {
	return &AccuracyMatcher{labels: labels, k: k, atLeast: atLeast}
}
