package matchers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the matchers of decisions", func() {
	scores := func(values ...float32) *tensor.Tensor { return shaped(f32(values...), 2, 3) }
	expected := func() *tensor.Tensor { return scores(1, 5, 4.75, 9, 0, 1) }
	layout := decisions.Layout{Boxes: "boxes", Scores: "scores", Classes: "labels"}
	found := func(boxes, scores *tensor.Tensor, labels ...int64) *tensor.Set {
		return set("boxes", shaped(boxes, len(labels), 4), "scores", scores,
			"labels", tensor.Of(labels...))
	}
	objects := func() *tensor.Set {
		return found(f32(0, 0, 10, 10, 50, 50, 80, 90, 200, 0, 220, 20),
			f32(0.875, 0.75, 0.515625), 1, 2, 1)
	}
	masks := func(pixels ...uint8) *tensor.Tensor {
		return shaped(tensor.Of(pixels...), 1, 2, len(pixels)/2)
	}
	texts := func(all ...string) *tensor.Tensor { return stringTensor(all...) }
	prompt := func(ids ...int64) *tensor.Set {
		return set("ids", shaped(tensor.Of(ids...), 1, 4),
			"logits", shaped(f32(0, 0, 0, 0, 0, 0, 4.875, 0, 0, 5), 1, 2, 5))
	}

	DescribeTable("take decisions that hold, in whatever numbers",
		func(m types.GomegaMatcher, actual any) {
			Expect(actual).To(m)
		},
		Entry("leaders", MatchDecisions(decisions.TopK{K: 1}).Of(expected()),
			scores(1, 500, 4.75, 9, -7, 1)),
		Entry("leaders of another element type", MatchDecisions(decisions.TopK{K: 1}).
			Of(shaped(tensor.Of(0., 1), 1, 2)),
			shaped(f32(2, 3), 1, 2)),
		Entry("leaders that nearly tie", MatchDecisions(decisions.TopK{K: 1, Margin: 0.25}).
			Of(expected()),
			scores(1, 4.75, 5, 9, 0, 1)),
		Entry("leaders in some rows", MatchDecisions(decisions.TopK{K: 1, Flips: 0.5}).Of(expected()),
			scores(1, 4.75, 5, 9, 0, 1)),
		Entry("a ranking", MatchDecisions(decisions.Ranking{}).Of(expected()),
			scores(1, 50, 4.75, 9, 0, 1)),
		Entry("a ranking on average",
			MatchDecisions(decisions.Ranking{Tau: 0.6, K: 2, Overlap: 0.9, NDCG: 0.9}).Of(expected()),
			scores(1, 4.75, 5, 9, 0, 1)),
		Entry("embeddings", MatchDecisions(decisions.Embeddings{Cosine: 0.99}).Of(expected()),
			scores(2, 10, 9.5, 9, 0, 1)),
		Entry("a mask next to a boundary", MatchDecisions(decisions.Mask{Boundary: 1}).
			Of(masks(0, 0, 1, 1, 0, 0, 1, 1)),
			masks(0, 1, 1, 1, 0, 0, 1, 1)),
		Entry("a mask of scores",
			MatchDecisions(decisions.Mask{From: decisions.FromScores, Margin: 0.25}).Of(
				shaped(f32(1, 0, 0.875, 1, 0, 1, 1, 0), 2, 2, 2)),
			shaped(f32(1, 0, 0.875, 1, 0, 1, 0, 0), 2, 2, 2)),
		Entry("tokens by their logits",
			MatchDecisions(decisions.Tokens{Output: "ids", Logits: "logits", Margin: 0.125}).
				Of(prompt(7, 8, 1, 4)), prompt(7, 8, 1, 1)),
		Entry("tokens in each other's top",
			MatchDecisions(decisions.Tokens{Output: "ids", Logits: "logits", Top: 2}).
				Of(prompt(7, 8, 1, 4)), prompt(7, 8, 1, 1)),
		Entry("logits", MatchDecisions(decisions.Logits{Margin: 0.25}).Of(expected()),
			scores(1, 4.75, 5, 9, 0, 1)),
		Entry("logits by their statistics",
			MatchDecisions(decisions.Logits{Limits: decisions.Limits{decisions.MaxKLD().AtMost(0.2),
				decisions.SameTop().AtLeast(0.5)}}).Of(expected()), scores(1, 4.75, 5, 9, 0, 1)),
		Entry("tokens up to the end", MatchDecisions(decisions.Tokens{Ends: []int{2}}).
			Of(tensor.Of[int32](5, 2, 0)),
			tensor.Of[int32](5, 2, 9)),
		Entry("text", MatchDecisions(decisions.Text{Errors: 0.2}).Of(texts("color")), texts("colour")),
		Entry("boxes in another order",
			MatchDecisions(decisions.Detections{Layout: layout, Score: 0.25}).Of(objects()),
			found(f32(50, 50, 80, 90, 200, 0, 220, 20, 0, 0, 10, 10), f32(0.75, 0.5, 0.875), 2, 1, 1)),
		Entry("a box less at the threshold",
			MatchDecisions(decisions.Detections{Layout: layout, Score: 0.5, Margin: 0.02}).Of(objects()),
			found(f32(50, 50, 80, 90, 0, 0, 10, 10), f32(0.75, 0.875), 2, 1)),
	)

	DescribeTable("say which decisions flip, and which flips are excused",
		func(name string, m types.GomegaMatcher, actual any) {
			Expect(actual).NotTo(m)
			expectText(name, failure(m, actual))
		},
		Entry("leaders", "decision_topk", MatchDecisions(decisions.TopK{K: 1, Margin: 0.25}).
			Of(run(set("logits", expected()))),
			run(set("logits", scores(1, 4.75, 5, 0, 9, 1)))),
		Entry("a ranking", "decision_ranking", MatchDecisions(decisions.Ranking{Margin: 0.5}).
			Of(expected()),
			scores(1, 4.75, 5, 0, 9, 1)),
		Entry("a ranking on average", "decision_tau",
			MatchDecisions(decisions.Ranking{Tau: 0.9, K: 2, NDCG: 0.99}).Of(expected()),
			scores(1, 4.75, 5, 9, 0, 1)),
		Entry("embeddings", "decision_embeddings", MatchDecisions(decisions.Embeddings{Cosine: 0.99}).
			Of(expected()),
			scores(1, 5, 4.75, 0, 9, 1)),
		Entry("a mask", "decision_mask", MatchDecisions(decisions.Mask{Boundary: 1}).
			Of(masks(0, 0, 0, 1, 0, 0, 0, 1)),
			masks(2, 0, 1, 1, 0, 0, 0, 1)),
		Entry("tokens", "decision_tokens",
			MatchDecisions(decisions.Tokens{Output: "ids", Logits: "logits", Margin: 0.0625}).
				Of(prompt(7, 8, 1, 4)), prompt(7, 8, 1, 1)),
		Entry("logits", "decision_logits",
			MatchDecisions(decisions.Logits{Output: "y",
				Limits: decisions.Limits{decisions.MeanKLD().AtMost(0.01)}}).
				Of(set("y", expected(), "tokens", shaped(tensor.Of[int64](4, 1, 0), 1, 3))),
			set("y", scores(1, 4.75, 5, 9, 0, 1))),
		Entry("text", "decision_text", MatchDecisions(decisions.Text{Errors: 0.1}).
			Of(texts("a color", "same")),
			texts("a colour", "same")),
		Entry("boxes", "decision_detections",
			MatchDecisions(decisions.Detections{Layout: layout, Score: 0.5, Margin: 0.02}).Of(objects()),
			found(f32(1, 0, 10, 10, 50, 50, 80, 90, 400, 0, 420, 20), f32(0.75, 0.75, 0.625), 1, 3, 1)),
		Entry("a lost output", "decision_lost", MatchDecisions(decisions.TopK{K: 1}).
			Of(set("logits", expected())),
			set("scores", expected())),
		Entry("NaN", "decision_nan", MatchDecisions(decisions.TopK{K: 1, Margin: 9}).Of(expected()),
			scores(float32(math.NaN()), 5, 4.75, 9, 0, 1)),
	)

	It("say what held where it should not have", func() {
		expectText("decision_negated",
			negated(MatchDecisions(decisions.TopK{K: 1, Margin: 0.25}).Of(expected()),
				scores(1, 4.75, 5, 9, 0, 1)))
	})

	DescribeTable("refuse misuse, for To and NotTo alike",
		func(m types.GomegaMatcher, actual any, says string) {
			_, err := m.Match(actual)
			Expect(err).To(MatchError(says))
		},
		Entry("nothing to compare with", MatchDecisions(decisions.TopK{K: 1}), expected(),
			"MatchDecisions: nothing to compare with: "+
				"add .Of(another run), .OfGolden(name) or .OfFile(path)"),
		Entry("flips with statistics",
			MatchDecisions(decisions.Logits{Flips: 0.1,
				Limits: decisions.Limits{decisions.MeanKLD().AtMost(1)}}).
				Of(expected()), expected(),
			"MatchDecisions: decisions: logits: Flips has no effect if Limits is set: add "+
				"SameTop().AtLeast(…) to Limits instead"),
		Entry("a decision that cannot flip", MatchDecisions(decisions.TopK{K: 3}).Of(expected()),
			expected(),
			"MatchDecisions: decisions: top-3 of 3 classes always includes all of them: set a smaller K"),
		Entry("one of several outputs", MatchDecisions(decisions.TopK{K: 1}).Of(objects()), objects(),
			"MatchDecisions: decisions: "+
				`the expected run has 3 outputs, ["boxes" "scores" "labels"]: name the output to compare`),
		Entry("two margins", MatchDecisionsWithinNoise(decisions.TopK{K: 1, Margin: 1}).Of(expected()),
			expected(),
			"MatchDecisionsWithinNoise: decisions: the rule sets Margin to 1, but the margin is "+
				"measured from noise: leave out Margin"),
		Entry("another type", MatchDecisions(decisions.TopK{K: 1}).Of(expected()), 7,
			"MatchDecisions: the actual value: got int, "+
				"wanted a *backends.Run, a *tensor.Set, a []*tensor.Set or a *tensor.Tensor"),
		Entry("no iterations", MatchDecisions(decisions.TopK{K: 1}).Of(run()), run(),
			"MatchDecisions: decisions: the expected run has no iterations, so there is nothing to "+
				"compare"),
	)

	It("print as one line", func() {
		for m, text := range map[types.GomegaMatcher]string{
			MatchDecisions(decisions.TopK{K: 5, Margin: 0.5, Flips: 0.01}).
				Of(expected()): "match a " +
				"tensor in the top 5, margin 0.5, 1 % of the rows may fail",
			MatchDecisions(decisions.Ranking{K: 3, Overlap: 0.9}).
				Of(expected()): "match a tensor in the ranking, " +
				"overlap at 3 at least 0.9",
			MatchDecisions(decisions.Embeddings{Cosine: 0.9, K: 3, Neighbours: 0.5}).
				Of(expected()): "match a tensor in embeddings, " +
				"cosine at least 0.9, and on average at least 50 % of each row's 3 nearest neighbours " +
				"are the same on both sides",
			MatchDecisions(decisions.Mask{From: decisions.FromThreshold, Threshold: 0.5, Boundary: 2,
				MeanIoU: 0.9, Agreement: 0.5}): "match the outputs in " +
				"the mask of scores above 0.5, ignoring 2 px around boundaries, agreement at least 0.5, " +
				"mean IoU at least 0.9",
			MatchDecisions(decisions.Logits{Tail: 16, Limits: decisions.Limits{
				decisions.KLD(0.999).AtMost(0.5),
				decisions.PerplexityCorrelation().
					AtLeast(0.9)}}): "match the outputs in logits, KLD at 99.9 % at most 0.5, perplexity " +
				"correlation at least 0.9, ignoring tokens with a probability below " +
				"e^-16",
			MatchDecisions(decisions.Tokens{Ends: []int{2}}): "match the outputs in the tokens up to 2",
			MatchDecisions(decisions.Detections{Layout: layout, Score: 0.5, IoU: 0.75, MaxDetections: 10,
				ScoreChange: 0.1, BoxChange: 3}): "" +
				"match the outputs in detections above 0.5 at IoU 0.75, at most 10 per class, scores within " +
				"0.1, corners within 3",
			MatchDecisionsWithinNoise(decisions.TopK{K: 1}): "" +
				"match the outputs in the top 1, margin by noise",
		} {
			Expect(m.(fmt.Stringer).String()).To(Equal(text))
		}
	})

	It("hand every number to a report", func() {
		var outcome compare.Pair
		m := MatchDecisions(decisions.Ranking{Tau: 0.9}).ReportTo(func(o compare.Pair) { outcome = o }).
			Of(expected())
		Expect(m.Match(scores(1, 4.75, 5, 9, 0, 1))).To(BeFalse())
		Expect(outcome.Report.Verdict).To(Equal(compare.Fail))
		Expect(outcome.Report.Reason).To(HavePrefix("Kendall τ is 0.6667, want at least 0.9"))
		text, err := json.Marshal(compare.Document{Pairs: []compare.Pair{outcome}})
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		var document compare.Document
		Expect(json.Unmarshal(text, &document)).To(Succeed())
		read := document.Pairs[0]
		Expect(read.Report.Outputs).To(HaveLen(1))
		Expect(read.Report.Outputs[0].Results).To(HaveLen(2))
		Expect(read.Report.Outputs[0].Results[0].Mismatches).To(Equal(1))
		Expect(read.Report.Outputs[0].Results[1].Value).To(BeNumerically("~", 2./3, 1e-12))
	})

	It("keep a golden file whose decisions hold, and write one whose do not", func() {
		const path = "testdata/golden/top.json"
		GinkgoT().Setenv("CI", "")
		GinkgoT().Chdir(GinkgoT().TempDir())
		DeferCleanup(AnnounceTo(gbytes.NewBuffer()))
		Expect(golden.Write(path, run(set("y", expected())), golden.Options{})).To(Succeed())
		before, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		const other = "testdata/golden/flipped.json"
		Expect(golden.Write(other, run(set("y", expected())), golden.Options{})).To(Succeed())
		kept, err := os.ReadFile(other)
		Expect(err).NotTo(HaveOccurred())
		flipped := run(set("y", scores(1, 0, 5, 9, 0, 1)))
		Expect(failure(MatchDecisions(decisions.TopK{K: 1}).OfGolden("flipped"), flipped)).To(
			ContainSubstring("to accept the change"))

		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		Expect(run(set("y", scores(1, 5.5, 4.75, 9, 0, 1)))).
			To(MatchDecisions(decisions.TopK{K: 1}).OfGolden("top"))
		Expect(os.ReadFile(path)).To(Equal(before))
		Expect(flipped).To(Or(MatchDecisions(decisions.TopK{K: 1}).OfGolden("flipped"), BeFinite()))
		Expect(os.ReadFile(other)).To(Equal(kept), "a match inside Or may not be wanted")
		Expect(flipped).To(MatchDecisions(decisions.TopK{K: 1}).OfGolden("flipped"))
		Expect(os.ReadFile(other)).NotTo(Equal(kept))
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
		Expect(flipped).To(MatchDecisions(decisions.TopK{K: 1}).OfGolden("flipped"))
	})

	Describe("with noise for a margin", func() {
		model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
		inputs := fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8))

		It("excuse what rounding flips, and nothing else", func(ctx SpecContext) {
			ort.Require(GinkgoT())
			reference, err := ort.Run(ctx, model, inputs)
			Expect(err).NotTo(HaveOccurred())
			logits, _ := reference.Outputs()[0].Get("logits")
			moved := func(by float64) *tensor.Set { // the leader of row 0, to below the second by that much
				values := logits.Float64s()
				row, best, second := values[:10], 0, 1
				for i, v := range row {
					switch {
					case v > row[best]:
						best, second = i, best
					case i != best && (v > row[second] || second == best):
						second = i
					}
				}
				changed := make([]float32, len(values))
				for i, v := range values {
					changed[i] = float32(v)
				}
				changed[best] = float32(row[second] - by)
				t, err := tensor.New(logits.Shape(), changed)
				Expect(err).NotTo(HaveOccurred())
				return set("logits", t)
			}
			m := MatchDecisionsWithinNoise(decisions.TopK{K: 1, Output: "logits"}).Of(reference)
			Expect(reference).To(m)
			Expect(failure(m, moved(0.01))).To(And(ContainSubstring(
				"rows that flip and are not excused by the rule: 1 of 4"),
				ContainSubstring(`noise moves an element of "logits" by up to `)))

			By("keeping a golden file that differs by no more than that")
			GinkgoT().Chdir(GinkgoT().TempDir())
			Expect(os.WriteFile("go.mod", nil, 0o600)).To(Succeed())
			GinkgoT().Setenv("CI", "")
			DeferCleanup(AnnounceTo(gbytes.NewBuffer()))
			with := func(logits *tensor.Set) *backends.Run { // the other outputs as in the reference
				var entries []tensor.Entry
				for name, t := range reference.Outputs()[0].All() {
					if changed, ok := logits.Get(name); ok {
						t = changed
					}
					entries = append(entries, tensor.Entry{Name: name, Tensor: t})
				}
				run, err := backends.Collect(ctx, reference.Provenance, reference.Subject(), inputs,
					func(context.Context, *tensor.Set) (*tensor.Set, error) {
						return tensor.NewSet(entries...)
					})
				Expect(err).NotTo(HaveOccurred())
				return run
			}
			flipped := with(moved(1e-6))
			for old, keeps := range map[*backends.Run]bool{with(moved(-1e-6)): true, reference: false} {
				GinkgoT().Setenv("GOLDEN_UPDATE", "")
				const path = "testdata/golden/flips.json"
				Expect(golden.Write(path, old, golden.Options{})).To(Succeed())
				Expect(flipped).NotTo(MatchDecisions(decisions.TopK{K: 1, Output: "logits"}).
					OfGolden("flips"))
				before, err := os.ReadFile(path)
				Expect(err).NotTo(HaveOccurred())
				GinkgoT().Setenv("GOLDEN_UPDATE", "1")
				Expect(flipped).To(MatchDecisionsWithinNoise(decisions.TopK{K: 1, Output: "logits"}).
					OfGolden("flips"))
				now, err := os.ReadFile(path)
				Expect(err).NotTo(HaveOccurred())
				Expect(bytes.Equal(now, before)).To(Equal(keeps))
			}
		})
	})
})
