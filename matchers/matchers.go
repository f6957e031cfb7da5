package matchers

import (
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// The statistics of package compare under their own names, so that a spec needs one import.
const (
	Elementwise = compare.Elementwise
	Max         = compare.Max
	Mean        = compare.Mean
	Median      = compare.Median
)

// Quantile is compare.Quantile: the q-quantile of the errors, q between 0 and 1.
func Quantile(q float64) compare.Stat { return compare.Quantile(q) }

// MatchOutputsWithin succeeds where every output of every iteration agrees with the expected one.
// With
//
//	abs = |actual − expected|      rel = abs / |expected|
//
// stat Elementwise wants abs ≤ atol or rel ≤ rtol of each element; any other stat wants
// stat(abs) ≤ atol or stat(rel) ≤ rtol. See compare.Within for NaN, infinities, zeros and integers.
//
// What to compare with comes behind it: Of(another run), OfGolden(name) or OfFile(path). An output
// that is lost or extra, and one that has another element type or shape, is a mismatch. A run
// without iterations, an iteration without outputs, outputs that are all empty (see AllowEmpty) and
// a check that could not fail (see compare.Powerless) are errors.
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

// MatchOutputs is [MatchOutputsWithin] for any checks of package compare; all must hold, and so
// must those that Within and With add. Without a check every element must be equal.
//
//	MatchOutputs(compare.CosineSimilarity(0.999), compare.TopKAgreement(1, 0.99)).Of(fp32)
func MatchOutputs(checks ...compare.Check) *OutputsMatcher {
	return outputsMatcher(&comparer{constructor: "MatchOutputs"}).With(checks...)
}

// MatchWithinNoise succeeds where rounding explains every difference, so that nobody has to choose
// a tolerance. It measures what rounding alone does to the model: the reference runs eight times
// more, with its weights and inputs moved to neighbouring numbers. See compare.WithinNoise.
//
//	Expect(openvino.Run(ctx, model, inputs)).To(MatchWithinNoise().Of(ort.Run(ctx, model, inputs)))
//
// The noise is measured in the engine of the expected run, and kept in the user's cache for the
// same model, inputs and engine. With OfGolden, an update writes it into the golden file, which is
// then judged by it on every machine. A file without it has no engine to measure in, so that of the
// actual run takes its place, unless MeasuredIn names one. Two sides that were read from files
// without noise are an error, and so are tolerances beside it.
func MatchWithinNoise() *NoiseMatcher {
	return noiseMatcher(&comparer{constructor: "MatchWithinNoise", noise: &byNoise{}})
}

// MatchGolden succeeds where the outputs agree with testdata/golden/<name>.json. Without a
// tolerance every element must be equal; Within and ForOutput say more:
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise))
//
// Under `go test -golden.update` or GOLDEN_UPDATE=1 it writes the file where it does not hold any
// more, says on standard error how far each output moved, and succeeds. It writes only the whole
// outputs of a run, without NaN or infinities unless AllowNonFinite allows them, and only where the
// matcher is asserted by itself; where the suite says how specs end, only if the spec passes, and
// then beside other matchers of And too (see [GoldenMatcher.In]). A golden file that is missing or
// cannot be read is an error that ends with the command to run.
//
// Without a name the file is called by the text of the spec ([golden.OwnName]), which takes a suite
// with ginkgoreport.Suite, or In: digits-still-match-3545f21c.json. A spec has one such file.
func MatchGolden(name ...string) *GoldenMatcher {
	return goldenMatcher((&comparer{constructor: "MatchGolden"}).ofGolden(name))
}

// BeFinite succeeds where no element of any output is NaN or infinite. Integers, bools and strings
// are finite. A value without outputs fails, because nothing was checked. The failure of a run of
// an engine names the node that makes the first of them, and what its operands range over; see
// [locate.NonFinite].
func BeFinite() types.GomegaMatcher { return &finiteMatcher{} }

// HaveOutput succeeds where every iteration has an output of that name, and each of the matchers,
// if there are any, takes its *tensor.Tensor:
//
//	Expect(run).To(HaveOutput("logits", HaveShape(AnyLength, 10), BeFinite()))
//
// A sequence or a map is one output, whose elements the matchers get as one tensor: those of a
// scikit-learn model's output_probability have the shape that the model would give without ZipMap
// (see tensor.Value). A pattern such as "present.*.key" stands for every output that it matches,
// one at least.
func HaveOutput(name string, matchers ...types.GomegaMatcher) types.GomegaMatcher {
	return &outputMatcher{name: name, inner: matchers}
}

// TheOutput takes the output of that name out of a run or a set of one iteration, for specs that
// look at a tensor themselves:
//
//	Expect(run).To(WithTransform(TheOutput("logits"), HaveShape(1, 10)))
//
// A missing output, or several iterations, is an error.
func TheOutput(name string) func(run any) (*tensor.Tensor, error) {
	return func(run any) (*tensor.Tensor, error) { return single(run, name) }
}

// AnyLength stands for any length of a dimension in [HaveShape].
const AnyLength = -1

// HaveShape succeeds where a tensor, or the only output of each iteration, has exactly these
// dimensions. HaveShape() is for a 0-d tensor. A negative length other than AnyLength is an error.
func HaveShape(dims ...int) types.GomegaMatcher { return &shapeMatcher{dims: dims} }

// HaveTop1Accuracy succeeds where at least that share of the rows of scores, between 0 and 1, has
// its greatest score at the row's label. Scores lie along the last axis; the rows of all iterations
// together are as many as labels. The first of equal scores counts, as in NumPy; a row with NaN is
// wrong, and so is one whose scores are all equal. Another number of rows, a label that is not a
// class, a single class and a share of 0 are errors.
//
//	Expect(ort.Run(ctx, model, images)).To(HaveTop1Accuracy(labels, 0.97))
//
// The failure shows the interval of 95 % confidence, the first wrong rows, and which label is
// confused most often. Confidently holds the lower end of the interval.
func HaveTop1Accuracy(labels []int, atLeast float64) *AccuracyMatcher {
	return HaveTopKAccuracy(1, labels, atLeast)
}

// HaveTopKAccuracy is [HaveTop1Accuracy] for rows whose label is among the k greatest scores, of
// equal ones those of the lower classes. A k as great as the number of classes is an error.
//
//	Expect(ort.Run(ctx, model, images)).To(HaveTopKAccuracy(5, labels, 0.9).Confidently())
func HaveTopKAccuracy(k int, labels []int, atLeast float64) *AccuracyMatcher {
	return &AccuracyMatcher{labels: labels, k: k, atLeast: atLeast}
}
