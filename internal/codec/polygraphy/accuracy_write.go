package polygraphy

import (
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/jsonfloat"
)

// accuracyClasses describes how Polygraphy stores each of its Python classes of results: the Python
// class of the thresholds, and the names of all metrics. Metrics that were not computed are stored
// as null.
var accuracyClasses = map[string]struct {
	thresholds string
	metrics    []string
}{
	"OutputCompareResult": {"SimpleThreshold", []string{"max_absdiff", "max_reldiff", "mean_absdiff",
		"mean_reldiff", "median_absdiff", "median_reldiff", "quantile_absdiff", "quantile_reldiff"}},
	"L2Result":                {"L2Threshold", []string{"l2_norm"}},
	"CosineSimilarityResult":  {"CosineSimilarityThreshold", []string{"cosine_similarity"}},
	"PsnrResult":              {"PsnrThreshold", []string{"psnr"}},
	"SnrResult":               {"SnrThreshold", []string{"snr"}},
	"PerceptualMetricsResult": {"PerceptualMetricsThreshold", []string{"lpips"}},
}

// Accuracy writes a file of accuracy results.
func (w *Writer) Accuracy(all Accuracy) {
	w.raw("{\"lst\": [")
	for i, result := range all {
		w.raw(comma(i) + "\n{\"lst\": [")
		for k, pair := range result.Pairs {
			w.raw(comma(k) + "\n[[" + quote(pair.Runners[0]) + ", " + quote(pair.Runners[1]) + "], [")
			for n, outputs := range pair.Iterations {
				w.raw(comma(n) + "\n{")
				for j, output := range outputs {
					w.raw(comma(j) + "\n" + quote(output.Name) + ": ")
					w.accuracyOutput(output)
				}
				w.raw("}")
			}
			w.raw("]]")
		}
		w.raw("], \"aggregation\": " + quote(result.Aggregation) + ", " + class("AccuracyResult") + "}")
	}
	w.raw("], " + class("AccuracyResults") + "}\n")
}

func (w *Writer) accuracyOutput(o AccuracyOutput) {
	stored, known := accuracyClasses[o.Class]
	if !known { // the result is only a verdict, without metrics
		w.raw(verdict(o.Passed))
		return
	}
	w.raw("{")
	for _, name := range stored.metrics {
		text := "null"
		if value, ok := find(o.Metrics, name); ok {
			text = pythonNumber(value)
		}
		w.raw(quote(name) + ": " + text + ", ")
	}
	w.raw(`"thresholds": {`)
	if o.Class == "OutputCompareResult" {
		w.raw(`"check_error_stat": ` + quote(o.Stat) + ", ")
	}
	for _, threshold := range o.Thresholds {
		w.raw(quote(threshold.Name) + ": " + pythonNumber(threshold.Value) + ", ")
	}
	w.raw(class(stored.thresholds) + "}, ")
	if o.Class == "OutputCompareResult" {
		w.raw(`"passed": ` + verdict(o.Passed) + ", ")
	}
	w.raw(class(o.Class) + "}")
}

func class(name string) string { return quote(classKey) + ": " + quote(name) }

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func verdict(passed *bool) string {
	if passed == nil {
		return "null"
	}
	return strconv.FormatBool(*passed)
}

// pythonNumber formats a number as Python's json module does, with NaN, Infinity and -Infinity
// unquoted.
func pythonNumber(v float64) string {
	return strings.Trim(string(jsonfloat.Append(nil, v)), `"`)
}
