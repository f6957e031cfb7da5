package matchers_test

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare/decisions"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// A class may flip where the expected scores were close; farther apart it may not.
func ExampleMatchDecisions() {
	ctx, g := context.Background(), gomega.NewWithT(printer{})
	fp32, _ := tensor.New(tensor.Shape{2, 3}, []float32{1, 5, 4.875, 9, 0, 1})
	int8, _ := tensor.New(tensor.Shape{2, 3}, []float32{1, 4.5, 5, 3, 4, 1})
	g.Expect(fake.New(fake.Named("int8"), fake.Output("scores", int8)).Run(ctx, inputs())).To(
		MatchDecisions(decisions.TopK{K: 1, Margin: 0.25}).
			Of(fake.New(fake.Named("fp32"), fake.Output("scores", fp32)).Run(ctx, inputs())))
	// Output:
	// Expected
	//     int8
	// to match
	//     fp32
	// in the top 1, margin 0.25
	// rows that flip and are not excused by the rule: 1 of 2
	// 2 rows; flips: 1 not excused, 1 excused
	// not excused:
	//     row 1: 1, expected 0 (margin 9)
	// excused:
	//     row 0: 2, expected 1 (margin 0.125)
	// note: both sides computed in an unknown precision
}

// A layout says how the outputs describe boxes, here as a row for each. The order does not matter.
func ExampleMatchDecisions_detections() {
	g := gomega.NewWithT(printer{})
	expected, _ := tensor.New(tensor.Shape{1, 2, 6}, []float32{
		0, 0, 10, 10, 0.875, 1,
		50, 50, 80, 90, 0.75, 2})
	actual, _ := tensor.New(tensor.Shape{1, 2, 6}, []float32{
		50, 50, 80, 90, 0.75, 3,
		0, 0, 10, 11, 0.875, 1})
	layout := decisions.Layout{Packed: "output0", Columns: "x0 y0 x1 y1 score class"}
	detected := func(t *tensor.Tensor) *tensor.Set {
		set, _ := tensor.NewSet(tensor.Entry{Name: "output0", Tensor: t})
		return set
	}
	g.Expect(detected(actual)).To(
		MatchDecisions(decisions.Detections{Layout: layout, Score: 0.25, Margin: 0.02}).
			Of(detected(expected)))
	// Output:
	// Expected
	//     a set of tensors
	// to match
	//     a set of tensors
	// in detections above 0.25 at IoU 0.5, margin 0.02
	// detections that flip and are not excused by the rule: 1 of 2
	// 2 detections; flips: 1 not excused, 0 excused
	// not excused:
	//     image 0: class 3 at 0.75 [50 50 80 90], expected class 2 at 0.75 [50 50 80 90] (margin 0.5)
	// lost 0
	// extra 0
	// class flips 1
	// mean share of boxes matched at IoU 0.50:0.05:0.95 0.45
	// worst IoU 0.9091
	// largest score change 0
	// largest shift of a corner 1
	// share of boxes matched at IoU 0.50:0.05:0.95: 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0
}

func ExampleMatchDecisions_ranking() {
	g := gomega.NewWithT(printer{})
	g.Expect(tensor.Of[float32](1, 0.5, 0.625)).To(
		MatchDecisions(decisions.Ranking{Margin: 0.25}).Of(tensor.Of[float32](1, 0.75, 0.625)))
	g.Expect(tensor.Of[float32](0.5, 1, 0.625)).To(
		MatchDecisions(decisions.Ranking{Tau: 0.2}).Of(tensor.Of[float32](1, 0.75, 0.625)))
	// Output:
	// Expected
	//     a tensor
	// to match
	//     a tensor
	// in the ranking, Kendall τ at least 0.2
	// Kendall τ is -0.3333, want at least 0.2
	// 3 pairs; flips: 2 not excused, 0 excused
	// not excused, the largest margins:
	//     row 0: 0 not above 2, expected above (margin 0.375)
	// fails: Kendall τ is -0.3333, want at least 0.2
}

func ExampleMatchDecisions_embeddings() {
	g := gomega.NewWithT(printer{})
	expected, _ := tensor.New(tensor.Shape{3, 2}, []float32{1, 0, 1, 1, 0, 1})
	g.Expect(expected).
		To(MatchDecisions(decisions.Embeddings{Cosine: 0.999, K: 1, Neighbours: 1}).Of(expected))
	// Output:
}

func ExampleMatchDecisions_mask() {
	g := gomega.NewWithT(printer{})
	expected, _ := tensor.New(tensor.Shape{1, 1, 4}, []uint8{0, 0, 1, 1})
	actual, _ := tensor.New(tensor.Shape{1, 1, 4}, []uint8{0, 1, 1, 1})
	g.Expect(actual).To(MatchDecisions(decisions.Mask{Boundary: 1}).Of(expected))
	// Output:
}

func ExampleMatchDecisions_tokens() {
	g := gomega.NewWithT(printer{})
	g.Expect(tensor.Of[int64](5, 8, 2, 0)).To(
		MatchDecisions(decisions.Tokens{Ends: []int{2}}).Of(tensor.Of[int64](5, 7, 2)))
	// Output:
	// Expected
	//     a tensor
	// to match
	//     a tensor
	// in the tokens up to 2
	// sequences that flip and are not excused by the rule: 1 of 1
	// 1 sequences; flips: 1 not excused, 0 excused
	// not excused:
	//     sequence 0, place 1: 8 2, expected 7 2
}

func ExampleMatchDecisions_text() {
	g := gomega.NewWithT(printer{})
	actual, _ := tensor.FromStrings(tensor.Shape{1}, []string{"the colour"})
	expected, _ := tensor.FromStrings(tensor.Shape{1}, []string{"the color"})
	g.Expect(actual).To(MatchDecisions(decisions.Text{Errors: 0.2}).Of(expected))
	// Output:
}

// The bound on the loss follows from the number of rows: two rows prove little.
func ExampleMatchDecisions_accuracyLoss() {
	g := gomega.NewWithT(printer{})
	expected, _ := tensor.New(tensor.Shape{2, 2}, []float32{0, 1, 1, 0})
	actual, _ := tensor.New(tensor.Shape{2, 2}, []float32{1, 0, 0, 1})
	loss := decisions.AccuracyLoss{Labels: []int{1, 0}, Most: 0.75}
	g.Expect(expected).To(MatchDecisions(loss).Of(expected))
	g.Expect(actual).To(MatchDecisions(loss).Of(expected))
	// Output:
	// Expected
	//     a tensor
	// to match
	//     a tensor
	// in top-1 accuracy on 2 labels, at most 75 % lost with 95 % confidence
	// upper bound of the loss at 95 % confidence is 1, want at most 0.75
	// rows lost 2
	// rows won 0
	// fails: upper bound of the loss at 95 % confidence is 1, want at most 0.75
	// newly wrong: row 0, class 0 for label 1
	// newly wrong: row 1, class 1 for label 0
	// accuracy: actual 0 (0 to 0.6576 at 95 % confidence), expected 1 (0.3424 to 1 at 95 % confidence)
}

func ExampleHaveAveragePrecision() {
	g := gomega.NewWithT(printer{})
	boxes, _ := tensor.New(tensor.Shape{2, 1, 6}, []float32{
		0, 0, 10, 10, 0.875, 1,
		5, 5, 25, 25, 0.75, 2})
	set, _ := tensor.NewSet(tensor.Entry{Name: "output0", Tensor: boxes})
	truth := [][]decisions.Truth{
		{{Box: decisions.Box{0, 0, 10, 10}, Class: 1}},
		{{Box: decisions.Box{5, 5, 25, 25}, Class: 2}}}
	layout := decisions.Layout{Packed: "output0", Columns: "x0 y0 x1 y1 score class"}
	g.Expect(set).To(HaveAveragePrecision(truth, layout, 0.9))
	// Output:
}

// Limits for statistics of the divergence decide instead of every position.
func ExampleMatchDecisions_logits() {
	expected, _ := tensor.New(tensor.Shape{1, 2, 3}, []float32{4, 1, 0, 2, 1.75, 0})
	actual, _ := tensor.New(tensor.Shape{1, 2, 3}, []float32{4, 1, 0, 2, 2.25, 0})
	leads := MatchDecisions(decisions.Logits{Margin: 0.25}).Of(expected)
	fmt.Println(leads.Match(actual))
	strict := MatchDecisions(decisions.Logits{Limits: decisions.Limits{decisions.MaxKLD().
		AtMost(0.01)}}).Of(expected)
	fmt.Println(strict.Match(actual))
	// Output:
	// true <nil>
	// false <nil>
}
