package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// threeWay is the gate that AWS publishes for vLLM on Neuron (docs/design/accuracy of
// aws-neuron-sdk, 2026). It compares the errors of the engine under test with the errors that a
// lower precision alone causes. Both are errors relative to float32, taken over all inputs
// together. The gate passes if
//
//	(Overlap ≥ 0.99 or SigmaRatio ≤ 1) and Greatest < 5 and Norm < 3
//
// AWS publishes the gate for 10 inputs, but not the histograms' bins. Here they are 100 bins of
// equal width from 0 to the largest error of either side.
type threeWay struct {
	// Overlap is the Bhattacharyya coefficient Σ√(pᵢqᵢ) of the histograms of the errors' magnitudes.
	Overlap float64
	// SigmaRatio is the root mean square of all errors, divided by the reference errors' root mean
	// square.
	SigmaRatio float64
	// Greatest is the ratio of the largest errors, and Norm is the ratio of the errors' Euclidean
	// norms, each for the worst input.
	Greatest, Norm float64
	// Inputs is the number of pooled inputs.
	Inputs int
}

// The published limits of the gate.
const (
	leastOverlap    = 0.99
	mostSigmaRatio  = 1
	mostGreatest    = 5
	mostNorm        = 3
	publishedInputs = 10

	overlapBins = 100
)

// threeWayOf computes the gate. Both arguments contain one slice of errors per input. actual
// contains the errors of the engine under test, and reference the errors that the lower precision
// alone causes. NaN and infinities propagate.
func threeWayOf(actual, reference [][]float64) threeWay {
	t := threeWay{Inputs: len(actual)}
	var a, b []float64
	for i := range actual {
		a, b = append(a, actual[i]...), append(b, reference[i]...)
		t.Greatest = max(t.Greatest, ratio(greatestOf(actual[i]), greatestOf(reference[i])))
		t.Norm = max(t.Norm, ratio(normOf(actual[i]), normOf(reference[i])))
	}
	t.SigmaRatio = ratio(normOf(a), normOf(b))
	t.Overlap = overlap(a, b)
	return t
}

// rejected describes the criteria that fail. It returns none if the gate passes.
func (t threeWay) rejected() []string {
	var by []string
	if !(t.Overlap >= leastOverlap) && !(t.SigmaRatio <= mostSigmaRatio) {
		by = append(by, fmt.Sprintf("overlap %s (want ≥ %g) and σ ratio %s (want ≤ %d)",
			figures.Short(t.Overlap), leastOverlap, figures.Short(t.SigmaRatio), mostSigmaRatio))
	}
	if !(t.Greatest < mostGreatest) {
		by = append(by, fmt.Sprintf("L∞ ratio %s (want < %d)", figures.Short(t.Greatest), mostGreatest))
	}
	if !(t.Norm < mostNorm) {
		by = append(by, fmt.Sprintf("L2 ratio %s (want < %d)", figures.Short(t.Norm), mostNorm))
	}
	return by
}

// String returns the four numbers in one line.
func (t threeWay) String() string {
	text := fmt.Sprintf("overlap %s, σ ratio %s, L∞ ratio %s, L2 ratio %s over %d inputs",
		figures.Short(t.Overlap), figures.Short(t.SigmaRatio), figures.Short(t.Greatest),
		figures.Short(t.Norm), t.Inputs)
	if t.Inputs != publishedInputs {
		text += fmt.Sprintf(" (published for %d)", publishedInputs)
	}
	return text
}

// ratio returns a/b, or 0 if a is 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

func greatestOf(errors []float64) float64 {
	greatest := 0.0
	for _, e := range errors {
		greatest = max(greatest, math.Abs(e))
	}
	return greatest
}

func normOf(errors []float64) float64 {
	squares := 0.0
	for _, e := range errors {
		squares += float64(e * e)
	}
	return math.Sqrt(squares)
}

// overlap returns the Bhattacharyya coefficient of the histograms of the magnitudes in a and b.
func overlap(a, b []float64) float64 {
	top := max(greatestOf(a), greatestOf(b))
	if top == 0 {
		return 1
	}
	if top-top != 0 || len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	var counts [2][overlapBins]float64
	for side, errors := range [][]float64{a, b} {
		for _, e := range errors {
			bin := min(overlapBins-1, int(math.Abs(e)/top*overlapBins))
			counts[side][bin] += 1 / float64(len(errors))
		}
	}
	sum := 0.0
	for i := range overlapBins {
		sum += math.Sqrt(counts[0][i] * counts[1][i])
	}
	return sum
}
