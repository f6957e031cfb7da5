// Package accuracy reads, writes and judges Polygraphy's accuracy results: the numbers that a
// comparison measured, without the tensors.
package accuracy

import (
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// Read reads accuracy results written by Polygraphy's --save-accuracy-results or by [Write].
func Read(path string) (polygraphy.Accuracy, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := polygraphy.ReadAccuracy(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// Write writes comparisons as Polygraphy's accuracy results. It writes the file completely or not
// at all. `check accuracy` can later judge the file by other thresholds.
//
// Comparison n of the file contains, for each pair of runs and each iteration, the result of every
// output's n-th check. A pair with fewer than n checks is left out of comparison n. Polygraphy
// lacks some checks (ULP, the additive rule, …). Such a check is saved as a verdict without
// numbers. So is a check that did not run because the outputs could not be compared.
func Write(path string, pairs []compare.Pair) error {
	if len(pairs) == 0 {
		return fmt.Errorf("save %s: nothing was compared", path)
	}
	var all polygraphy.Accuracy
	for _, p := range pairs {
		if len(p.Report.Outputs) == 0 {
			return fmt.Errorf("save %s: the report has no outputs", path)
		}
		for j, result := range accuracyOf(p.Actual, p.Expected, p.Report) {
			if j == len(all) {
				all = append(all, polygraphy.AccuracyResult{Aggregation: result.Aggregation})
			}
			all[j].Pairs = append(all[j].Pairs, result.Pairs...)
		}
	}
	return wholefile.Write(path, func(w io.Writer) error {
		out := polygraphy.NewWriter(w)
		out.Accuracy(all)
		return out.Close()
	})
}

// accuracyOf converts the report on one pair of runs to Polygraphy's form. Comparison j consists of
// the j-th result of every output.
func accuracyOf(actual, expected string, report compare.Report) polygraphy.Accuracy {
	checks, iterations := 1, 1
	aggregation := "per_sample"
	for _, out := range report.Outputs {
		checks, iterations = max(checks, len(out.Results)), max(iterations, out.Iteration+1)
		if out.Iteration == compare.Averaged {
			aggregation = "average"
		}
	}
	all := make(polygraphy.Accuracy, checks)
	for j := range all {
		pair := polygraphy.AccuracyPair{Runners: [2]string{actual, expected},
			Iterations: make([][]polygraphy.AccuracyOutput, iterations)}
		for _, out := range report.Outputs {
			i := max(out.Iteration, 0) // averages are saved as a single iteration
			pair.Iterations[i] = append(pair.Iterations[i], accuracyOutput(out, j))
		}
		all[j] = polygraphy.AccuracyResult{Aggregation: aggregation,
			Pairs: []polygraphy.AccuracyPair{pair}}
	}
	return all
}

// oneMetric maps each check that measures a single number to Polygraphy's class and metric.
var oneMetric = map[compare.Stat][2]string{
	"l2":                 {"L2Result", "l2_norm"},
	"cosine_similarity":  {"CosineSimilarityResult", "cosine_similarity"},
	"psnr":               {"PsnrResult", "psnr"},
	"snr":                {"SnrResult", "snr"},
	"perceptual_metrics": {"PerceptualMetricsResult", "lpips"}, // a rule of [compare.AtMost]
}

// accuracyOutput returns the j-th result of one output in Polygraphy's form.
func accuracyOutput(out compare.Output, j int) polygraphy.AccuracyOutput {
	passed := out.Verdict == compare.Pass
	to := polygraphy.AccuracyOutput{Name: out.Name, Passed: &passed}
	if j >= len(out.Results) || out.Actual.ElementType() == tensor.String {
		return to
	}
	result := out.Results[j]
	passed = result.Verdict == compare.Pass
	stat := result.Check.Stat()
	if names, known := oneMetric[stat]; known {
		to.Class, to.Passed = names[0], nil
		to.Metrics = []polygraphy.Metric{{Name: names[1], Value: result.Value}}
		to.Thresholds = []polygraphy.Metric{{Name: "threshold", Value: result.Limit}}
		return to
	}
	atol, rtol, _ := result.Check.Tolerances()
	name, known := simpleStats[stat]
	if strings.HasPrefix(string(stat), "quantile(") {
		name, known = "quantile", true
	}
	if !known || result.Check != compare.Within(atol, rtol, stat) {
		return to
	}
	to.Class, to.Stat = "OutputCompareResult", name
	to.Thresholds = []polygraphy.Metric{{Name: "atol", Value: atol}, {Name: "rtol", Value: rtol}}
	if out.Actual != nil && out.Expected != nil {
		to.Metrics = errorMetrics(out.Statistics())
	}
	if to.Metrics == nil || name == "quantile" {
		to.Metrics = append(to.Metrics, polygraphy.Metric{Name: name + "_absdiff", Value: result.Abs},
			polygraphy.Metric{Name: name + "_reldiff", Value: result.Rel})
	}
	if stat != compare.Elementwise {
		to.Passed = nil // Polygraphy derives the verdict
	}
	return to
}

// simpleStats maps statistics to Polygraphy's names. It does not contain quantiles: a file does not
// say which quantile it saved, so a saved quantile cannot be checked against new tolerances.
var simpleStats = map[compare.Stat]string{
	compare.Elementwise: "elemwise", compare.Max: "max", compare.Mean: "mean",
	compare.Median: "median",
}

func errorMetrics(s compare.Statistics) []polygraphy.Metric {
	return []polygraphy.Metric{
		{Name: "max_absdiff", Value: s.Abs.Max}, {Name: "max_reldiff", Value: s.Rel.Max},
		{Name: "mean_absdiff", Value: s.Abs.Mean}, {Name: "mean_reldiff", Value: s.Rel.Mean},
		{Name: "median_absdiff", Value: s.Abs.Median}, {Name: "median_reldiff", Value: s.Rel.Median},
	}
}
