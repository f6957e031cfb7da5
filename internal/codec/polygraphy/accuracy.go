package polygraphy

import (
	"fmt"
	"io"
	"math"

	"github.com/modelparity/modelparity/internal/jsonstream"
)

// Accuracy is the content of a file written by --save-accuracy-results: one result for each
// comparison function. The file does not name the functions.
type Accuracy []AccuracyResult

// AccuracyResult is the result of one comparison function.
type AccuracyResult struct {
	Aggregation string // "per_sample" or "average"
	Pairs       []AccuracyPair
}

// AccuracyPair contains the comparisons of two runners, one per iteration.
type AccuracyPair struct {
	Runners    [2]string
	Iterations [][]AccuracyOutput
}

// AccuracyOutput is the result for one output.
type AccuracyOutput struct {
	Name string
	// Class is OutputCompareResult, L2Result, CosineSimilarityResult, PsnrResult, SnrResult or
	// PerceptualMetricsResult. Class is "" if the result is only a verdict, as it is for the
	// comparison function `indices`.
	Class string
	// Passed is the verdict in the file. It is nil if the file has only metrics, from which
	// [AccuracyOutput.Pass] computes the verdict.
	Passed *bool
	// Metrics lists the numbers that were computed, in the file's order: max_absdiff, l2_norm, ….
	// Null values are omitted.
	Metrics []Metric
	// Stat is the statistic that was compared with the thresholds, in an OutputCompareResult.
	Stat string
	// Thresholds contains either the metrics "atol" and "rtol", or the single metric "threshold".
	Thresholds []Metric
}

// Metric is a named number.
type Metric struct {
	Name  string
	Value float64
}

// Pass returns the verdict on one output by Polygraphy's rules. An OutputCompareResult passes if
// its absolute or its relative error is within tolerance. Norms must not exceed their threshold;
// similarities and ratios must reach theirs. NaN fails. Pass returns an error if a metric or
// threshold is missing.
func (o AccuracyOutput) Pass() (bool, error) {
	if o.Passed != nil {
		return *o.Passed, nil
	}
	if o.Class == "OutputCompareResult" {
		abs, absOK := find(o.Metrics, o.Stat+"_absdiff")
		rel, relOK := find(o.Metrics, o.Stat+"_reldiff")
		atol, atolOK := find(o.Thresholds, "atol")
		rtol, rtolOK := find(o.Thresholds, "rtol")
		if !absOK || !relOK || !atolOK || !rtolOK {
			return false, fmt.Errorf("output %q: the %s error or a tolerance is missing", o.Name, o.Stat)
		}
		return abs <= atol || rel <= rtol, nil
	}
	limit, ok := find(o.Thresholds, "threshold")
	if !ok || len(o.Metrics) != 1 {
		return false, fmt.Errorf("output %q: %s without a metric or a threshold", o.Name, o.Class)
	}
	switch o.Class {
	case "L2Result", "PerceptualMetricsResult":
		return o.Metrics[0].Value <= limit, nil
	case "CosineSimilarityResult", "PsnrResult", "SnrResult":
		return o.Metrics[0].Value >= limit, nil
	}
	return false, fmt.Errorf("output %q: unknown result %q", o.Name, o.Class)
}

// Metric returns the metric with the given name, or NaN if there is none.
func (o AccuracyOutput) Metric(name string) float64 {
	value, _ := find(o.Metrics, name)
	return value
}

// Threshold returns the threshold with the given name, or NaN if there is none.
func (o AccuracyOutput) Threshold(name string) float64 {
	value, _ := find(o.Thresholds, name)
	return value
}

func find(metrics []Metric, name string) (float64, bool) {
	for _, m := range metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return math.NaN(), false
}

// ReadAccuracy reads accuracy results.
func ReadAccuracy(r io.Reader) (Accuracy, error) {
	f := newFile(r, 0)
	var all Accuracy
	found := false
	err := f.Object(func(key string) error {
		switch key {
		case "lst":
			found = true
			return f.Array(func(i int) error {
				result, err := f.accuracyResult()
				all = append(all, result)
				return f.part(err, perResult, "result %d", i)
			})
		case classKey:
			return f.class("AccuracyResults")
		}
		return f.Skip()
	})
	if err == nil && !found {
		err = f.Errorf(`no "lst" key: these are not accuracy results`)
	}
	if err == nil {
		err = f.End()
	}
	return all, err
}

// part counts n bytes against the memory budget, for a part of the file that has just been read. If
// the budget is exceeded, or if reading the part failed with err, part returns the error, preceded
// by the part's place in the file.
func (f file) part(err error, n int, format string, args ...any) error {
	if err == nil {
		err = f.take(n)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

func (f file) accuracyResult() (AccuracyResult, error) {
	var result AccuracyResult
	err := f.Object(func(key string) (err error) {
		switch key {
		case "lst":
			return f.Array(func(i int) error {
				pair, err := f.accuracyPair()
				result.Pairs = append(result.Pairs, pair)
				return f.part(err, perResult, "pair %d", i)
			})
		case "aggregation":
			result.Aggregation, err = f.String()
			return err
		case classKey:
			return f.class("AccuracyResult")
		}
		return f.Skip()
	})
	return result, err
}

// accuracyPair reads [[runner, runner], [{output: result, …}, …]].
func (f file) accuracyPair() (AccuracyPair, error) {
	const form = "a comparison must be [[runner, runner], [iteration, …]]"
	var pair AccuracyPair
	runner := func(k int) func() error {
		return func() (err error) {
			pair.Runners[k], err = f.String()
			return err
		}
	}
	err := f.tuple(form, func() error {
		return f.tuple(form, runner(0), runner(1))
	}, func() error {
		return f.Array(func(k int) error {
			var outputs []AccuracyOutput
			err := f.Object(func(name string) error {
				output, err := f.accuracyOutput()
				output.Name = name
				outputs = append(outputs, output)
				return f.part(err, perResult, "output %q", name)
			})
			pair.Iterations = append(pair.Iterations, outputs)
			return f.part(err, 64, "iteration %d", k)
		})
	})
	return pair, err
}

// accuracyOutput reads either a verdict, or an object of metrics, thresholds and a class.
func (f file) accuracyOutput() (AccuracyOutput, error) {
	var output AccuracyOutput
	if kind, err := f.Kind(); err != nil || kind == jsonstream.Bool {
		if err != nil {
			return output, err
		}
		passed, err := f.Bool()
		output.Passed = &passed
		return output, err
	}
	err := f.Object(func(key string) (err error) {
		switch key {
		case classKey:
			output.Class, err = f.String()
		case "thresholds":
			err = f.Object(func(key string) (err error) {
				switch key {
				case "check_error_stat":
					output.Stat, err = f.String()
				case classKey:
					err = f.Skip()
				default:
					output.Thresholds, err = f.metric(output.Thresholds, key)
				}
				return err
			})
		case "passed":
			if kind, err := f.Kind(); err != nil || kind == jsonstream.Null {
				return f.Skip()
			}
			var passed bool
			passed, err = f.Bool()
			output.Passed = &passed
		default:
			output.Metrics, err = f.metric(output.Metrics, key)
		}
		return err
	})
	return output, err
}

// metric reads a number and adds it to metrics. It skips null, which means that the metric was not
// computed.
func (f file) metric(metrics []Metric, name string) ([]Metric, error) {
	kind, err := f.Kind()
	if err != nil {
		return metrics, err
	}
	if kind == jsonstream.Null {
		return metrics, f.Null()
	}
	value, err := f.Float()
	if err == nil {
		err = f.take(64)
	}
	return append(metrics, Metric{Name: name, Value: value}), err
}
