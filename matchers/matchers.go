package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Statistics of package compare, repeated here so that a spec needs one import.
const (
	Elementwise = compare.Elementwise
	Max         = compare.Max
	Mean        = compare.Mean
	Median      = compare.Median
)

// Quantile is compare.Quantile: the q-quantile of the errors, q between 0 and 1.
func Quantile(q float64) compare.Stat { return compare.Quantile(q) }

// MatchOutputsWithin succeeds if every output of every iteration agrees with the expected one. With
//
//	abs = |actual − expected|      rel = abs / |expected|
//
// stat Elementwise requires abs ≤ atol or rel ≤ rtol for each element; any other stat requires
// stat(abs) ≤ atol or stat(rel) ≤ rtol. See compare.Within for NaN, infinities, zeros and integers.
//
// Of(another run), OfGolden(name) or OfFile(path) sets the expected side. A lost or extra output is
// a mismatch, and so is a different element type or shape. A run without iterations, an iteration
// without outputs, outputs that are all empty (see AllowEmpty) and a check that could not fail (see
// compare.Powerless) are errors.
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

// MatchOutputs succeeds if every output passes all the checks, including those that Within and With
// add. Without a check every element must be equal.
//
//	MatchOutputs(compare.CosineSimilarity(0.999), compare.TopKAgreement(1, 0.99)).Of(fp32)
func MatchOutputs(checks ...compare.Check) *OutputsMatcher {
	return outputsMatcher(&comparer{constructor: "MatchOutputs"}).With(checks...)
}

// MatchWithinNoise succeeds if rounding explains every difference, so you need no tolerance. It
// measures the effect of rounding on this model: ONNX Runtime runs it 8 to 64 times, adding the
// terms of each sum in another random order. See noise.Measure and compare.WithinNoise.
//
//	Expect(openvino.Run(ctx, model, inputs)).To(MatchWithinNoise().Of(ort.Run(ctx, model, inputs)))
//
// The result is cached for the same model and inputs. With OfGolden, an update writes the noise
// into the golden file, and every machine then uses it. Without ONNX Runtime, MeasuredIn must name
// an engine. If neither side has an engine, and the expected file has no noise, that is an error.
func MatchWithinNoise() *NoiseMatcher {
	return noiseMatcher(&comparer{constructor: "MatchWithinNoise", noise: &byNoise{}})
}

// MatchGolden succeeds if the outputs agree with testdata/golden/<name>.json. Without a tolerance
// every element must be equal; Within and ForOutput set tolerances:
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise))
//
// Under `go test -golden.update` or GOLDEN_UPDATE=1 it rewrites a file that no longer matches,
// prints on standard error how far each output moved, and succeeds. It writes only complete outputs
// of a run, without NaN or infinities unless AllowNonFinite allows them, and only if the matcher is
// asserted alone. If the suite reports how specs end (see [GoldenMatcher.In]), it writes after the
// spec has passed, and other matchers may then stand next to it in And. A missing or unreadable
// golden file is an error that ends with the command to run.
//
// Without a name the file is named after the spec's text, for example
// digits-still-match-3545f21c.json. That needs a suite with ginkgoreport.Suite, or In. A spec can
// have one such file.
func MatchGolden(name ...string) *GoldenMatcher {
	return goldenMatcher((&comparer{constructor: "MatchGolden"}).ofGolden(name))
}

// BeFinite succeeds if no element of any output is NaN or infinite. Integers, bools and strings are
// finite. A value without outputs fails, because nothing was checked. If an engine ran the model,
// the failure names the node that makes the first NaN or infinity, and the ranges of its operands;
// see [locate.NonFinite].
func BeFinite() types.GomegaMatcher { return &finiteMatcher{} }

// HaveOutput succeeds if every iteration has an output of that name, and its *tensor.Tensor
// satisfies each of the matchers:
//
//	Expect(run).To(HaveOutput("logits", HaveShape(AnyLength, 10), BeFinite()))
//
// A sequence or a map is one output. The matchers get its elements as one tensor: the
// output_probability of a scikit-learn model has the shape that it has without ZipMap (see
// tensor.Value). A pattern such as "present.*.key" means every output that it matches, at least
// one.
func HaveOutput(name string, matchers ...types.GomegaMatcher) types.GomegaMatcher {
	return &outputMatcher{name: name, inner: matchers}
}

// TheOutput returns a function that extracts one output from a run or set of one iteration, for
// specs that inspect a tensor themselves:
//
//	Expect(run).To(WithTransform(TheOutput("logits"), HaveShape(1, 10)))
//
// A missing output, or several iterations, is an error.
func TheOutput(name string) func(run any) (*tensor.Tensor, error) {
	return func(run any) (*tensor.Tensor, error) { return single(run, name) }
}

// AnyLength accepts any length of a dimension in [HaveShape].
const AnyLength = -1

// HaveShape succeeds if a tensor, or the only output of each iteration, has exactly these
// dimensions. HaveShape() expects a scalar. A negative length other than AnyLength is an error.
func HaveShape(dims ...int) types.GomegaMatcher { return &shapeMatcher{dims: dims} }

// HaveTop1Accuracy succeeds if at least a share atLeast of the rows, between 0 and 1, have their
// greatest score at the row's label. The classes are the last axis. All iterations together must
// have one row per label. The first of equal scores counts, as in NumPy. A row with NaN, and one
// whose scores are all equal, are wrong. A wrong number of rows, a label that is not a class, a
// single class and a share of 0 are errors.
//
//	Expect(ort.Run(ctx, model, images)).To(HaveTop1Accuracy(labels, 0.97))
//
// The failure shows the 95 % confidence interval, the first wrong rows, and the most frequent
// confusion. Confidently compares the lower end of the interval.
func HaveTop1Accuracy(labels []int, atLeast float64) *AccuracyMatcher {
	return HaveTopKAccuracy(1, labels, atLeast)
}

// HaveTopKAccuracy is [HaveTop1Accuracy] for labels among the k greatest scores. Ties go to the
// lower class. A k that covers all classes is an error.
//
//	Expect(ort.Run(ctx, model, images)).To(HaveTopKAccuracy(5, labels, 0.9).Confidently())
func HaveTopKAccuracy(k int, labels []int, atLeast float64) *AccuracyMatcher {
	return &AccuracyMatcher{labels: labels, k: k, atLeast: atLeast}
}
