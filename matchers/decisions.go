package matchers

import (
	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/golden"
)

// MatchTopK succeeds where the same k classes lead in every row of scores, along the last axis. A
// row may flip where the expected scores of the two classes are no more than the Margin apart. See
// decisions.TopK.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchTopK(5).Margin(0.01).Of(ort.Run(ctx, model, inputs)))
//
// Ordered compares their order too, OfOutput names the scores where there are several outputs,
// WithinNoise measures the margin, and AllowFlips lets a share of the rows flip beyond it.
func MatchTopK(k int) *DecisionMatcher {
	return deciding("MatchTopK", decisions.TopK{K: k})
}

// MatchRanking succeeds where the scores of every row come in the expected order, along the last
// axis: no two places may change their order whose expected scores are more than the Margin apart.
// Tau, Overlap and NDCG hold averages over the rows instead. See decisions.Ranking.
//
//	Expect(ort.Run(ctx, quantised, pairs)).To(
//		MatchRanking().Tau(0.98).NDCG(10, 0.999).Of(ort.Run(ctx, reranker, pairs)))
func MatchRanking() *DecisionMatcher {
	return deciding("MatchRanking", decisions.Ranking{})
}

// MatchEmbeddings succeeds where every row has at least that cosine similarity with its expected
// row. Neighbours holds which rows are nearest to each other as well. See decisions.Embeddings.
//
//	Expect(ort.Run(ctx, quantised, texts)).To(
//		MatchEmbeddings(0.99).Neighbours(10, 0.95).OfGolden("encoder"))
func MatchEmbeddings(leastCosine float64) *DecisionMatcher {
	return deciding("MatchEmbeddings", decisions.Embeddings{Cosine: leastCosine})
}

// MatchMask succeeds where every pixel has the expected class. Boundary leaves out pixels close to
// an expected boundary, Margin those whose scores nearly decided otherwise; Agreement and MeanIoU
// hold shares in place of every pixel. FromScores and FromThreshold take the classes out of scores.
// See decisions.Mask.
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchMask().FromScores(1).Boundary(2).Agreement(0.9999).Of(ort.Run(ctx, model, inputs)))
func MatchMask() *DecisionMatcher {
	return deciding("MatchMask", decisions.Mask{})
}

// MatchLogits succeeds where a language model leads with the expected token at every position. A
// position may flip where the expected logits of the two tokens are no more than the Margin apart,
// or WithinNoise. AtMost and AtLeast hold statistics in place of every position: those of
// llama.cpp's --kl-divergence, and the errors of the greatest logits. See decisions.Logits.
//
//	Expect(decode.Run(ctx, ort.Engine(), int8, tokens)).To(
//		MatchLogits().AtMost(decisions.MeanKLD(), 0.01).AtLeast(decisions.SameTop(), 0.98).
//			AtMost(decisions.PerplexityRatio(), 1.02).
//			Of(decode.Run(ctx, ort.Engine(), model, tokens)))
//
// The run of package decode says which tokens follow. Another one names them with TokensIn, and the
// logits with OfOutput where they are not called so.
func MatchLogits() *DecisionMatcher {
	return deciding("MatchLogits", decisions.Logits{})
}

// MatchTokens succeeds where every sequence of token ids is the expected one. The first difference
// may be excused by the Margin of the expected logits, or InTop of each other's; Edits allows a
// share of tokens to differ. The message shows both continuations, the margin, and where each token
// ranks on the other side. See decisions.Tokens.
//
//	Expect(decode.Run(ctx, trt.Engine(), model, prompts, decode.Greedy(32))).To(
//		MatchTokens().Margin(0.05).
//			Of(decode.Run(ctx, ort.Engine(), model, prompts, decode.Greedy(32))))
//
// OfOutput and Logits name the outputs of other runs.
func MatchTokens() *DecisionMatcher {
	return deciding("MatchTokens", decisions.Tokens{})
}

// MatchText succeeds where every string has at most that character error rate: its edit distance
// over the characters of the expected string. 0 wants equal strings. See decisions.Text.
//
//	Expect(ort.Run(ctx, ocr, scans)).To(MatchText(0.02).OfOutput("text").OfGolden("ocr"))
func MatchText(mostErrors float64) *DecisionMatcher {
	return deciding("MatchText", decisions.Text{Errors: mostErrors})
}

// MatchDetections succeeds where a detector finds the same objects in every image, in any order.
// Boxes with a score of score and more are found; they are matched as COCO's evaluation does it, at
// an IoU of 0.5 unless IoU says another. What is lost, extra or of another class is excused where
// its margin is within the Margin. See decisions.Layout for how the outputs describe boxes, and
// decisions.Detections for the margins.
//
//	layout := decisions.Layout{Boxes: "boxes", Scores: "scores", Classes: "labels"}
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchDetections(layout, 0.25).Margin(0.02).Of(ort.Run(ctx, model, inputs)))
func MatchDetections(layout decisions.Layout, score float64) *DecisionMatcher {
	return deciding("MatchDetections", decisions.Detections{Layout: layout, Score: score})
}

// LoseNoMoreAccuracyThan succeeds where a classifier is right at most that much less often than the
// expected one on the same labelled rows, a share, with 95 % confidence. Too few rows prove nothing
// and fail. TopK counts a label among the k greatest scores. See decisions.AccuracyLoss.
//
//	Expect(ort.Run(ctx, int8, images)).To(
//		LoseNoMoreAccuracyThan(0.01, labels).Of(ort.Run(ctx, model, images)))
func LoseNoMoreAccuracyThan(most float64, labels []int) *DecisionMatcher {
	return deciding("LoseNoMoreAccuracyThan", decisions.AccuracyLoss{Labels: labels, Most: most})
}

// LoseNoMorePrecisionThan succeeds where a detector's AP on labelled images, as COCO defines it, is
// at most that much lower than the expected one's, with 95 % confidence by a paired bootstrap over
// the images. See decisions.PrecisionLoss.
//
//	Expect(trt.Run(ctx, model, images, trt.FP16())).To(
//		LoseNoMorePrecisionThan(0.01, truth, layout).Of(ort.Run(ctx, model, images)))
func LoseNoMorePrecisionThan(most float64, truth [][]decisions.Truth, layout decisions.Layout,
) *DecisionMatcher {
	return deciding("LoseNoMorePrecisionThan",
		decisions.PrecisionLoss{Layout: layout, Truth: truth, Most: most})
}

// DecisionMatcher holds what a run decides to another run or a golden file: classes, boxes, orders,
// masks, tokens. [MatchTopK] and the functions beside it make one. Decisions may flip within a
// margin; the message counts and shows flips beyond it and excused ones apart. Its methods return a
// changed copy; one that does not belong to the matcher is an error.
//
// Element types may differ between the sides. Another shape, a lost output, another number of
// iterations and a NaN on the actual side are failures. A reference that decides nothing, and a
// rule that could not fail, are errors.
type DecisionMatcher struct{ of *OutputsMatcher }

// byDecision is what a [DecisionMatcher] judges by, in place of checks.
type byDecision struct {
	rule   decisions.Rule
	noise  bool            // measure the margin
	engine backends.Engine // to measure in; nil for the runs' own
	margin bool            // one was given
}

func deciding(constructor string, rule decisions.Rule) *DecisionMatcher {
	return &DecisionMatcher{&OutputsMatcher{constructor: constructor,
		decision: &byDecision{rule: rule}}}
}

// String is the rule in words.
func (d *byDecision) String() string {
	if d.noise {
		return d.rule.String() + ", margin by noise"
	}
	return d.rule.String()
}

// judge holds the decisions of one side to those of the other.
func (d *byDecision) judge(actual, expected side) (compare.Report, *decisions.Findings, error) {
	rule, note, err := d.measured(actual, expected)
	if err != nil {
		return compare.Report{}, nil, err
	}
	found, err := decisions.Judge(rule, actual.sets, expected.sets)
	if err != nil {
		return compare.Report{}, nil, err
	}
	if note != "" {
		found.Notes = append(found.Notes, note)
	}
	return found.Report(actual.sets, expected.sets), found, nil
}

func (m *DecisionMatcher) changed(change func(*OutputsMatcher)) *DecisionMatcher {
	return &DecisionMatcher{m.of.changed(func(c *OutputsMatcher) {
		own := *c.decision
		c.decision = &own
		change(c)
	})}
}

// Of says which run to hold the decisions to, as [OutputsMatcher.Of] does.
func (m *DecisionMatcher) Of(expected any, err ...error) *DecisionMatcher {
	return &DecisionMatcher{m.of.Of(expected, err...)}
}

// OfGolden holds the decisions to those of a golden file, which an update writes as [MatchGolden]
// does: the whole outputs of a run. A file whose decisions still hold is left alone.
func (m *DecisionMatcher) OfGolden(name string) *DecisionMatcher {
	return &DecisionMatcher{m.of.OfGolden(name)}
}

// OfFile holds the decisions to those of a saved run, as [OutputsMatcher.OfFile] does.
func (m *DecisionMatcher) OfFile(path string) *DecisionMatcher {
	return &DecisionMatcher{m.of.OfFile(path)}
}

// In makes an update of the golden file wait for the plain test t, as [OutputsMatcher.In] does.
func (m *DecisionMatcher) In(t golden.T) *DecisionMatcher { return &DecisionMatcher{m.of.In(t)} }

// AllowNonFinite lets an update write a golden file with NaN or infinities, as
// [OutputsMatcher.AllowNonFinite] does: masked logits are -Inf.
func (m *DecisionMatcher) AllowNonFinite() *DecisionMatcher {
	return &DecisionMatcher{m.of.AllowNonFinite()}
}

// ReportTo hands the outcome to each show, as [OutputsMatcher.ReportTo] does. Every number of the
// decisions is a check of its report.
func (m *DecisionMatcher) ReportTo(show ...func(Outcome)) *DecisionMatcher {
	return &DecisionMatcher{m.of.ReportTo(show...)}
}

// Match implements Gomega's matcher. It compares, and rewrites the golden file where that was asked
// for.
func (m *DecisionMatcher) Match(actual any) (bool, error) { return m.of.Match(actual) }

// FailureMessage names both sides, what is held, and which decisions flipped.
func (m *DecisionMatcher) FailureMessage(actual any) string { return m.of.FailureMessage(actual) }

// NegatedFailureMessage says that two runs decide alike that should not.
func (m *DecisionMatcher) NegatedFailureMessage(actual any) string {
	return m.of.NegatedFailureMessage(actual)
}

// MatchMayChangeInTheFuture tells Eventually that polling again would change nothing.
func (m *DecisionMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String names the matcher inside composed ones.
func (m *DecisionMatcher) String() string { return m.of.String() }

// GomegaString keeps Gomega from printing the expected run.
func (m *DecisionMatcher) GomegaString() string { return m.String() }
